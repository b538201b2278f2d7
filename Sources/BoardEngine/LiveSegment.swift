// LiveSegment: the segment of a live stream that a REVISE begins.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The part of the stream that was compiled since the last REVISE.
struct LiveSegment {
    /// The segment that precedes a given segment on the board.
    struct Past {
        /// The state of the actuators at tick 0 of the given segment.
        var state = DriveState()
        /// The taps of the preceding segment that the board may still play if the given segment
        /// begins late. When the beginning of the given segment is known, only the taps that the
        /// board has played remain.
        var taps: [(time: HostTime, playedAt: HostTime)] = []
    }

    /// The host time of tick 0.
    let start: HostTime
    /// The device time of tick 0.
    let deviceStart: UInt32
    /// The preceding segment. If another segment replaces this segment before this segment begins,
    /// the other segment has the same past.
    var past: Past
    var compiler: HapticCompiler
    /// The pacer; nil until the board has reported that it plays the segment.
    var pacer: StreamPacer?
    /// The device time at which the segment began.
    var begun: DeviceTime = 0
    /// True if the board has received the REVISE before its time, or has reported the beginning of
    /// the segment. Until then, the segment may begin late: taps whose time has passed may still be
    /// waiting on the board.
    var isBeginningKnown = false
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
        var state = compiler.driveState(at: max(0, time - start), behind: lag)
        state.removeWaitingTaps { tap in
            past.taps.contains { abs($0.time - time - tap) < StreamTime.tick }
        }
        return state
    }

    /// Returns this segment as the past of a segment that begins at a time that was compiled. States
    /// before the time are discarded.
    ///
    /// - Parameter lag: the time by which the board lags behind the segment, in microseconds.
    mutating func past(of time: HostTime, behind lag: Microseconds) -> Past {
        let state = driveState(at: time, behind: lag)
        let taps = compiler.tapTimes.map { start + $0 }.filter { $0 >= time }
        return Past(state: state, taps: taps.map { ($0, playedAt: $0 + lag) })
    }

    /// Records that the segment began, `lateness` microseconds after its time.
    mutating func recordBeginning(late lateness: Microseconds) {
        isBeginningKnown = true
        past.taps.removeAll { $0.playedAt >= start + lateness }
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
            // because otherwise the board would run out of events before it receives the events
            // that the next turn compiles, or a segment that replaces this one.
            let continues = !hasEnded && (part.events.isEmpty || rendered >= Self.renderedMax)
            if continues { encoder.wait(until: compiler.horizon) }
            lastTick = max(lastTick, part.events.last?.tick ?? 0, continues ? compiler.horizon : 0)
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

    private static let window: Microseconds = 50_000
    private static let windowMax: Microseconds = 1_600_000
    /// The maximum number of items that are rendered in a turn. Rendering this number takes about a
    /// millisecond.
    private static let renderedMax = 1_500
}
