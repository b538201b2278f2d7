// PatternFile: a file that is ready to be played, whatever its format, or already compiled.

import AHAP
import HapticCompiler
import HapticPatterns
import PatternFormats

/// An event stream, with the diagnostics of reading and compiling its file.
struct PatternFile {
    /// The file's name for use in messages.
    let name: String
    /// True if the file was already compiled, so that nothing is known of the pattern itself.
    let isCompiled: Bool
    /// The event code up to and including END.
    let bytes: [UInt8]
    /// The length of a tick, in microseconds.
    let tick: Int64
    let events: [StreamEvent]
    /// The duration as Core Haptics counts it, in microseconds; but an event without an end, which
    /// counts nothing there, counts for as long as it is played here.
    let duration: Int64
    /// The time by which the stream is later than the pattern, in microseconds, because the drive
    /// begins before what is felt.
    var lead: Int64 = 0
    /// The predicted feel of the pattern beside its design; nil if it was not predicted.
    var felt: FeltFidelity?
    /// The report of everything that the profile does not render exactly; nil for a compiled file.
    var report: LoweringReport?
    /// The result of reading the file, as AHAP; nil for a compiled file.
    private(set) var source: AHAPReader.Result?
    /// The parts of a file of another format that a pattern cannot have.
    private var formatLosses: [FormatLoss] = []

    static let magic = Array("HBES".utf8)

    /// Reads a file and compiles it for a profile. Throws `ToolError`.
    init(
        _ path: String, _ reading: ReadingOptions, for profile: DeviceProfile,
        options: CompilerOptions
    ) throws {
        let file = try InputFile(path)
        self =
            try file.bytes.starts(with: Self.magic)
            ? Self(compiled: file) : Self(pattern: file, reading, profile, options)
    }

    /// Returns the file compiled for another profile. A file that was already compiled stays as it
    /// is.
    func compiled(for profile: DeviceProfile, options: CompilerOptions) -> PatternFile {
        guard let source else { return self }
        return PatternFile(name: name, source, profile, options)
    }

    /// The file as it is designed, without an actuator; a compiled file as it is.
    var asDesigned: PatternFile { compiled(for: .reference, options: CompilerOptions()) }

    private init(compiled file: InputFile) throws(ToolError) {
        let compiled: CompiledFile
        do {
            compiled = try CompiledFile(decoding: file.bytes)
            events = try EventStreamDecoder.decode(compiled.bytes)
        } catch {
            throw ToolError(
                .badData, "\(file.name): \(error)", advice: "compile it again from its AHAP file")
        }
        name = file.name
        isCompiled = true
        bytes = compiled.bytes
        tick = Int64(compiled.tick)
        duration = Int64(events.last?.tick ?? 0) * tick
    }

    private init(
        pattern file: InputFile, _ reading: ReadingOptions, _ profile: DeviceProfile,
        _ options: CompilerOptions
    ) throws {
        let (read, losses) = try file.readPattern(reading)
        self.init(name: file.name, read, profile, options)
        formatLosses = losses
    }

    /// Compiles a pattern that was read.
    init(
        name: String, _ read: AHAPReader.Result, _ profile: DeviceProfile,
        _ options: CompilerOptions
    ) {
        let compiled = HapticCompiler.compile(read.pattern, profile: profile, options: options)
        self.name = name
        isCompiled = false
        bytes = compiled.bytes
        tick = compiled.tick
        events = compiled.events
        duration = read.pattern.playedLength
        lead = compiled.lead
        report = compiled.report
        source = read
    }

    /// The time of END in microseconds, release tails and the length of the last tap included.
    var renderedDuration: Int64 { Int64(events.last?.tick ?? 0) * tick }

    /// True if a shell takes the name as it is, as the path of the file.
    var isNamedForShell: Bool {
        name.allSatisfy { $0.isLetter || $0.isNumber || "/._-+,:@%=".contains($0) }
    }

    /// Reports what was repaired.
    func remarkRepairs(_ output: OutputOptions) {
        for repair in repairs { output.remark(repair.line(file: name)) }
        for loss in formatLosses { output.remark(loss.line(file: name)) }
    }

    /// The pattern that the file describes; nil for a compiled file.
    var pattern: HapticPattern? { source?.pattern }

    var repairs: [Diagnostic] { source?.diagnostics.filter { $0.severity == .repair } ?? [] }

    /// The repairs and notes of the file.
    var diagnostics: [Diagnostic] { source.map(AHAPLinter.diagnostics) ?? [] }

    var listing: EventListing { EventListing(events, tick: tick) }
    var file: CompiledFile { CompiledFile(tick: UInt16(tick), bytes: bytes) }

    /// The number of events that are not felt exactly as they were written.
    var losses: Int { report.map { $0.degraded + $0.notPlayed } ?? 0 }
}

extension HapticPattern {
    /// The length in microseconds, in which an event without an end counts for as long as it is played.
    var playedLength: Microseconds {
        let ends = events.lazy.filter(\.isEndless).map { $0.time + PatternVoice.endlessLimit }
        return max(length, ends.max() ?? 0)
    }
}

extension InputFile {
    /// Reads the pattern of a file of any format as AHAP, with what AHAP cannot say of it. Throws
    /// `ToolError`.
    func readPattern(
        _ reading: ReadingOptions
    ) throws(ToolError) -> (AHAPReader.Result, [FormatLoss]) {
        try checkIsNoSound()
        do {
            guard !isAHAP else {
                return (try AHAPReader.read(bytes, options: reading.reader), [])
            }
            let other = try PatternFormats.read(bytes)
            let document = AHAPDocument(of: other.pattern)
            return (try AHAPReader.read(document, options: reading.reader), other.losses)
        } catch let error as AHAPError {
            throw ToolError(error, in: self)
        } catch let error as FormatError {
            throw ToolError(error, in: name)
        } catch {
            throw ToolError(.internalError, "\(name): \(error)")
        }
    }

    /// True if the file is AHAP, or of no format that is known.
    var isAHAP: Bool { PatternFormats.format(of: bytes).name == AHAPFormat().name }
}
