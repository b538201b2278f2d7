// PatternFile: a pattern file of any format, or a compiled file, ready to be played.

import AHAP
import HapticCompiler
import HapticPatterns
import PatternFormats
import Prediction

/// An event stream, with the diagnostics from reading and compiling its file.
package struct PatternFile {
    /// The file's name for use in messages.
    package let name: String
    /// True if the file contains compiled events, so that the pattern itself is unknown.
    package let isCompiled: Bool
    /// The event code up to and including END.
    package private(set) var bytes: [UInt8]
    /// The length of a tick, in microseconds.
    package private(set) var tick: Int64
    package private(set) var events: [StreamEvent]
    /// The duration of the pattern as in Core Haptics, in microseconds. An event without an end has
    /// the duration 0 in Core Haptics; this value includes the played duration of such an event.
    package let duration: Int64
    /// The time in the stream at which the pattern begins, in microseconds. The stream starts
    /// earlier than the pattern, because the drive starts before the vibration is felt.
    package var lead: Int64 = 0
    /// The comparison of the predicted acceleration with the design; nil if it was not computed.
    package var felt: FeltFidelity?
    /// The losses of the profile; nil for a compiled file.
    package var report: LoweringReport?
    /// The file as AHAP; nil for a compiled file.
    package private(set) var source: AHAPReader.Result?
    /// The losses in the conversion from another format.
    private var formatLosses: [FormatLoss] = []
    /// The arguments for which the pattern is compiled; nil for a compiled file, and for a pattern
    /// without an event stream.
    private var compilation: (profile: DeviceProfile, options: CompilerOptions)?

    package static let magic = Array("HBES".utf8)

    /// Reads a file and compiles it for a profile. Throws `ToolError`.
    package init(
        _ path: String, _ reading: ReadingOptions, for profile: DeviceProfile,
        options: CompilerOptions
    ) throws {
        self = try Self(reading: path, reading).compiled(for: profile, options: options)
    }

    /// Reads a file without compiling it. A pattern has no event stream until it is compiled.
    /// Throws `ToolError`.
    package init(reading path: String, _ reading: ReadingOptions) throws {
        let file = try InputFile(path)
        if file.bytes.starts(with: Self.magic) {
            try self.init(compiled: file)
        } else {
            let (read, losses) = try file.readPattern(reading)
            self.init(name: file.name, read)
            formatLosses = losses
        }
    }

    /// Returns the file compiled for a profile, without a comparison. A compiled file is returned
    /// unchanged. A pattern that is already compiled for the profile is not compiled again, because
    /// the search for a measured actuator takes seconds.
    package func compiled(for profile: DeviceProfile, options: CompilerOptions) -> PatternFile {
        guard let source else { return self }
        if let compilation, compilation == (profile, options) {
            var file = self
            file.felt = nil
            return file
        }
        var file = PatternFile(name: name, source, profile, options)
        file.formatLosses = formatLosses
        return file
    }

    /// Returns a copy of the file with a different pattern and without an event stream.
    package func replacingSource(by other: AHAPReader.Result) -> PatternFile {
        var file = PatternFile(name: name, other)
        file.formatLosses = formatLosses
        return file
    }

    /// The file compiled for the reference profile, without an actuator. A compiled file is
    /// returned unchanged.
    package var asDesigned: PatternFile { compiled(for: .reference, options: CompilerOptions()) }

    private init(compiled file: InputFile) throws(ToolError) {
        let compiled: CompiledFile
        do {
            compiled = try CompiledFile(decoding: file.bytes)
            events = try EventStreamDecoder.decode(compiled.bytes)
        } catch {
            throw ToolError(
                .badData, "\(file.name): \(error)", advice: "compile the AHAP file again")
        }
        name = file.name
        isCompiled = true
        bytes = compiled.bytes
        tick = Int64(compiled.tick)
        duration = Int64(events.last?.tick ?? 0) * tick
    }

    /// Creates a file from a pattern, without an event stream.
    private init(name: String, _ read: AHAPReader.Result) {
        self.name = name
        isCompiled = false
        (bytes, events, tick) = ([], [], 1)
        duration = read.pattern.playedLength
        source = read
    }

    /// Creates a file from a pattern and compiles it.
    package init(
        name: String, _ read: AHAPReader.Result, _ profile: DeviceProfile,
        _ options: CompilerOptions
    ) {
        self.init(name: name, read)
        let compiled = HapticCompiler.compile(
            read.pattern, measured: profile, options: options)
        (bytes, tick, events) = (compiled.bytes, compiled.tick, compiled.events)
        (lead, report) = (compiled.lead, compiled.report)
        compilation = (profile, options)
    }

    /// The time of END in microseconds, including releases and the length of the last tap.
    package var renderedDuration: Int64 { Int64(events.last?.tick ?? 0) * tick }

    /// True if the name can be used in a shell without quotation marks.
    package var isNamedForShell: Bool {
        name.allSatisfy { $0.isLetter || $0.isNumber || "/._-+,:@%=".contains($0) }
    }

    /// Prints the repairs of the file and the losses of the conversion.
    package func remarkRepairs(_ output: OutputOptions) {
        for repair in repairs { output.remark(repair.line(file: name)) }
        for loss in formatLosses { output.remark(loss.line(file: name)) }
    }

    /// The pattern that the file describes; nil for a compiled file.
    package var pattern: HapticPattern? { source?.pattern }

    package var repairs: [Diagnostic] {
        source?.diagnostics.filter { $0.severity == .repair } ?? []
    }

    /// The repairs and notes of the file.
    package var diagnostics: [Diagnostic] { source.map(AHAPLinter.diagnostics) ?? [] }

    package var listing: EventListing { EventListing(events, tick: tick) }
    package var file: CompiledFile { CompiledFile(tick: UInt16(tick), bytes: bytes) }

    /// The number of events that are not rendered exactly.
    package var losses: Int { report.map { $0.degraded + $0.notPlayed } ?? 0 }
}

extension InputFile {
    /// Throws `ToolError` if the file is of another kind that cannot contain a pattern. The error
    /// names the kind.
    package func checkIsNoOtherKind() throws(ToolError) {
        guard let kind = OtherKind(of: bytes, calling: name) else { return }
        throw ToolError(refused: name, kind.name, advice: kind.advice)
    }

    /// Reads a pattern of any format as AHAP, with the losses of the conversion. Throws
    /// `ToolError`.
    package func readPattern(
        _ reading: ReadingOptions
    ) throws(ToolError) -> (AHAPReader.Result, [FormatLoss]) {
        try checkIsNoOtherKind()
        do {
            guard !isAHAP else {
                return (try AHAPReader.read(bytes, options: reading.reader), [])
            }
            let other = try PatternFormats.read(bytes)
            let document = try AHAPDocument(of: other.pattern)
            return (try AHAPReader.read(document, options: reading.reader), other.losses)
        } catch let error as AHAPError {
            throw ToolError(error.diagnostic, in: name)
        } catch let error as FormatError {
            throw ToolError(error.diagnostic, in: name)
        } catch {
            throw ToolError(.internalError, "\(name): \(error)")
        }
    }

    /// True if the file is AHAP, or of an unknown format.
    package var isAHAP: Bool { PatternFormats.format(of: bytes).name == AHAPFormat().name }
}
