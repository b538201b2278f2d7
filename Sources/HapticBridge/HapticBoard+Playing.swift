// Playing one compiled pattern on a connected board.

import BridgeLink
import HapticCompiler

extension HapticBoard {
    /// From START to the first event, in microseconds: an actuator wakes in two register writes,
    /// 0.2 ms on the bus; the rest lets a slow microcontroller render ahead.
    public static let shortestLead: UInt32 = 5_000

    /// How long several actuators take longer to wake than one, in microseconds: they do so in turn,
    /// a slow microcontroller in 2 ms each.
    static func wakingTime(of actuators: ActuatorMask) -> Int64 {
        2_500 * Int64(max(0, actuators.indices.count - 1))
    }

    /// How a playback went.
    public struct Playing: Sendable {
        /// Whether it was played to its end or stopped before.
        public var ending: Playback.Ending
        /// How far it came, and the trouble it had.
        public var progress: PlaybackProgress
    }

    /// Plays a compiled pattern from its first event until the actuators are at rest again.
    ///
    /// See ``play(events:tickMicroseconds:on:start:follow:)``.
    @discardableResult
    public func play(
        _ pattern: CompiledPattern, on actuators: ActuatorMask = ActuatorMask(index: 0),
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> Playing {
        try play(
            events: pattern.bytes, tickMicroseconds: Int(pattern.tick), on: actuators,
            follow: follow)
    }

    /// Plays event code until the board has played END and the actuators are at rest again.
    ///
    /// - Parameters:
    ///   - events: event code up to and including END (SPEC 7).
    ///   - tickMicroseconds: the tick that it was compiled to.
    ///   - actuators: where it is felt.
    ///   - start: when tick 0 is: so long after START, or at a time of the host's clock
    ///     (`Link.now()`), to which every event then keeps; nil: as soon as the actuators can play.
    ///   - follow: sees the playback at least every 20 ms. When it returns false, everything is
    ///     stopped at once, and `play` returns when the actuators are at rest. Whatever it asks of
    ///     the board throws `RequestError.playing`.
    /// - Throws: `PlaybackError` or `TransportError`. The board is at rest, or comes to it; after
    ///   a reset, `PlaybackError.link(.sessionLost)`, it is in a new session.
    @discardableResult
    public func play(
        events: [UInt8], tickMicroseconds: Int, on actuators: ActuatorMask,
        start: Playback.StartTime? = nil,
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> Playing {
        let playback = Playback(
            events: events, tickMicroseconds: tickMicroseconds, actuators: actuators,
            start: start ?? .after(Self.shortestLead + UInt32(Self.wakingTime(of: actuators))))
        let (ending, progress) = try recovering { try link.play(playback, follow: follow) }
        return Playing(ending: ending, progress: progress)
    }
}
