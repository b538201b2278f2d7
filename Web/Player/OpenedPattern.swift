// OpenedPattern: the pattern that the page has opened, its diagnostics, and its streams.

import AHAP
import HapticCompiler
import HapticPatterns
import JSONText

/// A pattern with the streams that have been compiled from it.
final class OpenedPattern {
    /// The contents of the file.
    let file: AHAPReader.Result
    /// The stream that was compiled last, with its profile. A pattern is played many times on the
    /// same board.
    private var latest: (profile: DeviceProfile, isRepeated: Bool, stream: CompiledPattern)?

    /// The stream of the design, which preserves every field of the pattern.
    private lazy var design = HapticCompiler.compile(file.pattern, profile: .reference)

    /// The design, for the sound of the pattern.
    private(set) lazy var mixed = MixedPattern(file.pattern)

    /// Reads the bytes of an AHAP file, as `bridge` does.
    init(_ bytes: [UInt8]) throws(AHAPError) {
        file = try AHAPReader.read(bytes, options: .init(curveTimes: .automatic))
    }

    /// Returns the stream for a profile.
    ///
    /// - Parameter isRepeated: true for the stream of a loop, which contains the pattern several
    ///   times.
    func stream(for profile: DeviceProfile, isRepeated: Bool = false) -> CompiledPattern {
        if profile == .reference, !isRepeated { return design }
        if let latest, latest.profile == profile, latest.isRepeated == isRepeated {
            return latest.stream
        }
        let pattern = isRepeated ? file.pattern.repeated : file.pattern
        let stream = HapticCompiler.compile(pattern, profile: profile)
        latest = (profile, isRepeated, stream)
        return stream
    }

    /// The time from the beginning of the pattern to the end of its last release or tap, in
    /// microseconds.
    var shownDuration: Microseconds {
        max(1, file.pattern.playedLength, design.renderedDuration)
    }

    /// The duration and the diagnostics for the page.
    var json: JSONValue {
        .members(
            ("duration", .number(Double(file.pattern.playedLength) / 1e6)),
            ("shown", .number(Double(shownDuration) / 1e6)),
            ("events", .integer(file.pattern.events.count)),
            ("sounds", .integer(file.pattern.events.count { !$0.type.isHaptic })),
            (
                "remarks",
                .list(AHAPLinter.diagnostics(on: file).prefix(Self.mostListed).map { $0.json })
            ))
    }

    /// The maximum number of remarks or losses that the page receives.
    static let mostListed = 200
}

extension CompiledPattern {
    /// The properties of the stream and the losses, for the page.
    var json: JSONValue {
        .members(
            ("bytes", .integer(bytes.count)), ("lead", .number(Double(lead) / 1e6)),
            ("rendered", .number(Double(renderedDuration) / 1e6)),
            ("exact", .integer(report.exact)), ("degraded", .integer(report.degraded)),
            ("notPlayed", .integer(report.notPlayed)),
            ("losses", .list(report.items.prefix(OpenedPattern.mostListed).map { $0.json })))
    }

    /// Returns the levels and the sharpnesses of equal intervals of time, both 0...255: first all
    /// levels, then all sharpnesses. A tap belongs to the interval in which it begins, and is never
    /// skipped.
    func samples(_ count: Int, over duration: Microseconds, on profile: DeviceProfile) -> [UInt8] {
        var played = PlayedLevel(events) { sharpness in
            let length = profile.tapLength(sharpness: Double(sharpness) / 255)
            return StreamTime.nearestTick(to: length)
        }
        var (levels, sharpnesses) = ([UInt8](), [UInt8]())
        for index in 0..<count {
            let time = duration * Microseconds(index) / Microseconds(count) + lead
            let output = played.output(at: StreamTime.nearestTick(to: time))
            levels.append(UInt8(clamping: output.level))
            sharpnesses.append(UInt8(clamping: output.sharpness))
        }
        // A tap may be shorter than an interval.
        for tap in PlayedLevel.taps(of: events) {
            let time = max(0, StreamTime.time(of: tap.tick) - lead)
            let index = Int(time * Microseconds(count) / duration)
            guard index < count, tap.level >= Int(levels[index]) else { continue }
            (levels[index], sharpnesses[index]) = (UInt8(clamping: tap.level), tap.sharpness)
        }
        return levels + sharpnesses
    }
}

extension SourceLocation {
    /// The line and the column, as values for the page.
    fileprivate var members: (line: JSONValue, column: JSONValue) {
        (.integer(line), .integer(column))
    }
}

extension Diagnostic {
    /// The diagnostic, as a value for the page.
    var json: JSONValue {
        .members(
            ("severity", .text(severity.rawValue)), ("rule", .text(rule.rawValue)),
            ("line", .integer(location?.line)), ("column", .integer(location?.column)),
            ("message", .text(message)), ("advice", .text(advice)))
    }
}

extension LoweringReport.Item {
    /// The loss for the page.
    fileprivate var json: JSONValue {
        .members(
            ("rule", .text(rule.rawValue)), ("time", .number(Double(time) / 1e6)),
            ("line", .integer(location?.line)), ("column", .integer(location?.column)),
            ("message", .text(message)))
    }
}
