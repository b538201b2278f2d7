// LiveSegment: the segment of a live stream that a REVISE begins.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The part of the stream that was compiled since the last REVISE.
struct LiveSegment {
    /// The host time of tick 0.
    let start: HostTime
    /// The device time of tick 0.
    let deviceStart: UInt32
    var compiler: HapticCompiler
    var encoder = EventStreamEncoder()
    /// The event code that has not been passed to the session.
    var bytes: [UInt8] = []
    /// The tick of the last event or wait in the event code that ends with ``bytes``.
    var lastTick: Ticks = 0
    var hasEnded = false
    /// The number of players, taps, pieces and passes that were rendered in this turn of the
    /// board's thread.
    var rendered = 0

    /// The host time at which the board runs out of events after it has received all bytes.
    var end: HostTime { start + StreamTime.time(of: lastTick) }

    /// Returns the state of the actuator at a time that was compiled. States before the time are
    /// discarded. If the time is earlier than the time of the preceding call, the time of the
    /// preceding call is used instead.
    ///
    /// - Parameter lag: the time by which the board lags behind the segment, in microseconds.
    mutating func driveState(at time: HostTime, behind lag: Microseconds = 0) -> DriveState {
        compiler.driveState(at: max(0, time - start), behind: lag)
    }

    /// Continues to compile until the events reach `time`, or until ``bytes`` contains `count`
    /// bytes. If the patterns are dense, the remaining events are compiled in the next turn of the
    /// board's thread.
    ///
    /// - Returns: the events that were added.
    @discardableResult
    mutating func compile(until time: HostTime, orBytes count: Int = .max) -> [StreamEvent] {
        var events: [StreamEvent] = []
        var window = Self.window
        while !hasEnded, end < time, bytes.count < count,
            rendered < Self.renderedMax || events.isEmpty && lastTick == 0
        {
            let part = compiler.nextSegment(duration: window)
            let inWindow = compiler.voices.lazy.compactMap { $0 as? EngineVoices }
                .reduce(0) { $0 + $1.rendered }
            rendered += inWindow
            for event in part.events { encoder.append(event) }
            hasEnded = part.hasEnded
            // Without new events, the current level continues. A wait is encoded for this time,
            // because otherwise the board would report an underrun.
            if !hasEnded, part.events.isEmpty { encoder.wait(until: compiler.horizon) }
            lastTick = max(lastTick, part.events.last?.tick ?? 0, hasEnded ? 0 : settled(part))
            encoder.flush()
            bytes += encoder.drainBytes()
            events += part.events
            // The compiler emits a ramp only when the end of the ramp is known, however far in the
            // future this end is.
            let isSparse = part.events.isEmpty && inWindow < Self.renderedMax / 10
            window = isSparse ? min(window * 2, Self.windowMax) : Self.window
        }
        return events
    }

    private func settled(_ part: EventSegment) -> Ticks {
        part.events.isEmpty ? compiler.horizon : 0
    }

    private static let window: Microseconds = 50_000
    private static let windowMax: Microseconds = 1_600_000
    /// The maximum number of items that are rendered in a turn. Rendering this number takes about a
    /// millisecond.
    private static let renderedMax = 1_500
}
