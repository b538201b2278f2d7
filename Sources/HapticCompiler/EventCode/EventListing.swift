// EventListing: the events of a stream as readable text. Golden files use the same format.

import HapticPatterns

/// A stream as text, with one line per event. The format does not change between versions.
///
/// ```
///       0.000  tap              intensity 204  sharpness 128
///      12.250  level ramp       to 0  in 100.000
/// ```
///
/// Times and durations are in milliseconds and exact to the microsecond; values are 0...255.
public struct EventListing: Sendable, CustomStringConvertible {
    /// The lines of the listing, one per event, without line terminators.
    public let lines: [String]

    /// Lists events.
    ///
    /// - Parameter tick: the length of a tick in microseconds.
    public init(_ events: [StreamEvent], tick: Microseconds = StreamTime.tick) {
        lines = events.map { Self.line($0, tick: tick) }
    }

    /// The text of all lines, each with a line terminator.
    public var description: String { lines.map { $0 + "\n" }.joined() }

    private static func line(_ event: StreamEvent, tick: Microseconds) -> String {
        let time = milliseconds(event.tick, tick)
        let padding = String(repeating: " ", count: max(0, 12 - time.utf8.count))
        let (name, values) = words(event.content, tick: tick)
        guard !values.isEmpty else { return "\(padding)\(time)  \(name)" }
        let gap = String(repeating: " ", count: 17 - name.utf8.count)
        return "\(padding)\(time)  \(name)\(gap)\(values)"
    }

    private static func words(
        _ content: StreamEvent.Content, tick: Microseconds
    ) -> (name: String, values: String) {
        switch content {
        case .tap(let intensity, let sharpness):
            ("tap", "intensity \(intensity)  sharpness \(sharpness)")
        case .level(let level): ("level", "\(level)")
        case .levelSharpness(let level, let sharpness):
            ("level", "\(level)  sharpness \(sharpness)")
        case .levelRamp(let level, let duration):
            ("level ramp", "to \(level)  in \(milliseconds(duration, tick))")
        case .sharpnessRamp(let sharpness, 0): ("sharpness", "\(sharpness)")
        case .sharpnessRamp(let sharpness, let duration):
            ("sharpness ramp", "to \(sharpness)  in \(milliseconds(duration, tick))")
        case .tapGain(let gain, 0): ("tap gain", "\(gain)")
        case .tapGain(let gain, let duration):
            ("tap gain ramp", "to \(gain)  in \(milliseconds(duration, tick))")
        case .end: ("end", "")
        }
    }

    /// Returns a number of ticks as milliseconds with three decimals.
    private static func milliseconds(_ ticks: Ticks, _ tick: Microseconds) -> String {
        let time = Microseconds(ticks) * tick
        let decimals = String(time % 1_000)
        let zeros = String(repeating: "0", count: 3 - decimals.utf8.count)
        return "\(time / 1_000).\(zeros)\(decimals)"
    }
}
