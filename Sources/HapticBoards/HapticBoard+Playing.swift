// Plays one compiled pattern on a connected board.

import BridgeLink
import HapticCompiler

extension HapticBoard {
    /// Returns the shortest time from START to the first event, in microseconds. The chips of the
    /// actuators wake during this time, one after another.
    public func shortestLead(on actuators: ActuatorMask) -> Int32 {
        Playback.shortestLead(on: actuators, of: Int(welcome.actuators))
    }

    /// The result of a playback.
    public struct PlaybackSummary: Sendable {
        /// The reason why the playback ended: either the playback was complete, or it was stopped.
        public var completion: Playback.Completion
        /// The progress of the playback, and the problems that occurred.
        public var progress: PlaybackProgress

        package init(completion: Playback.Completion, progress: PlaybackProgress) {
            self.completion = completion
            self.progress = progress
        }
    }

    /// Plays a compiled pattern from its first event until the actuators are at rest.
    ///
    /// See ``play(events:tickMicroseconds:on:start:follow:)``.
    @discardableResult
    public func play(
        _ pattern: CompiledPattern, on actuators: ActuatorMask = ActuatorMask(index: 0),
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> PlaybackSummary {
        try play(
            events: pattern.bytes, tickMicroseconds: Int(pattern.tick), on: actuators,
            follow: follow)
    }

    /// Plays event code until the board has executed END and the actuators are at rest.
    ///
    /// - Parameters:
    ///   - events: event code up to and including END (SPEC 7).
    ///   - tickMicroseconds: the tick for which the code was compiled, in microseconds.
    ///   - actuators: the actuators that play the code.
    ///   - start: the time of tick 0: either a delay after START, or a time on the host's clock
    ///     (`Link.now()`); in this case, all events are synchronized to the host's clock. If
    ///     `start` is nil, playback starts as soon as the actuators are ready.
    ///   - follow: a closure that receives the playback at least every 20 ms. When the closure
    ///     returns false, all output is stopped immediately, and `play` returns when the actuators
    ///     are at rest. Requests to the board from the closure throw `RequestError.playing`.
    /// - Throws: `PlaybackError` or `TransportError`. When the error is thrown, the board is at
    ///   rest or coming to rest. After a reset (`PlaybackError.link(.sessionLost)`), the board
    ///   already has a new session.
    @discardableResult
    public func play(
        events: [UInt8], tickMicroseconds: Int, on actuators: ActuatorMask,
        start: Playback.StartTime? = nil,
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> PlaybackSummary {
        let playback = Playback(
            events: events, tickMicroseconds: tickMicroseconds, actuators: actuators,
            start: start ?? .after(shortestLead(on: actuators)))
        let (completion, progress) = try recovering { try link.play(playback, follow: follow) }
        return PlaybackSummary(completion: completion, progress: progress)
    }
}
