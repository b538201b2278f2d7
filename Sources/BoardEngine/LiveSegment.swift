// LiveSegment: a part of a live stream that was sent.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The part of the stream that was compiled since the last REVISE.
struct LiveSegment {
    /// The host's time of tick 0.
    let start: HostTime
    /// The device time of tick 0.
    let deviceStart: UInt32
    var compiler: HapticCompiler
    var encoder = EventStreamEncoder()
    /// The event code that has not been handed to the session yet.
    var bytes: [UInt8] = []
    /// The tick of the last event or wait up to the end of ``bytes``.
    var lastTick: Ticks = 0
    var hasEnded = false
    /// The players, taps, pieces and passes that were rendered in this turn of the board's thread.
    var rendered = 0

    /// The host time up to which the board has something to do once it has received all bytes.
    var end: HostTime { start + StreamTime.time(of: lastTick) }

    /// Returns the state of the actuator at a time that was compiled. What lies before that time is
    /// forgotten; an earlier time counts as the last one that was asked for.
    ///
    /// - Parameter lag: the time by which the board is behind, in microseconds.
    mutating func driveState(at time: HostTime, behind lag: Microseconds = 0) -> DriveState {
        compiler.driveState(at: max(0, time - start), behind: lag)
    }

    /// Continues to compile until the board has something to do at `time`, or until there are
    /// `count` bytes. What is dense is continued in the next turn.
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
            // Without events, the present level continues; without a wait, the board would report
            // an underrun.
            if !hasEnded, part.events.isEmpty { encoder.wait(until: compiler.horizon) }
            lastTick = max(lastTick, part.events.last?.tick ?? 0, hasEnded ? 0 : settled(part))
            encoder.flush()
            bytes += encoder.takeBytes()
            events += part.events
            // A ramp is emitted only when its end is known, however far ahead that is.
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
    /// The number of them that are rendered in a turn: about a millisecond.
    private static let renderedMax = 1_500
}
