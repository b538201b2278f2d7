// The two player protocols of Core Haptics.

import BridgeLink
import Foundation
import HapticBoards
import HapticPatterns

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The time value that means "now", under its Core Haptics name.
public let CHHapticTimeImmediate: TimeInterval = 0

/// A player that plays a pattern once for each start.
///
/// After the app has released a player, the player plays its pattern to the end. A player that has
/// no end, because it loops, is paused or has an event without an end, ends immediately.
///
/// Times are on the clock of ``HapticEngine/currentTime``, in seconds; 0 and any past time mean the
/// current time. Every method throws ``HapticError``: `engineNotRunning`, `invalidTime` for a
/// negative time, or `invalidPatternPlayer` after a reset of the board, because a reset invalidates
/// all players.
///
/// Players that an engine creates may be used from any thread, and throw only ``HapticError``. As
/// in Core Haptics, the protocol expresses neither of these guarantees, so that an app's own class
/// may conform to the protocol.
public protocol HapticPatternPlayer: AnyObject {
    /// Plays the pattern from its beginning at `time`. Each scheduled start takes effect at its own
    /// time. Starting a player that is already playing restarts the pattern.
    func start(atTime time: TimeInterval) throws
    /// Stops the player at `time` and cuts off its current events. Starts and stops that were
    /// requested earlier for a later time are canceled; later requests are not affected.
    func stop(atTime time: TimeInterval) throws
    /// Changes each parameter abruptly, at its own relative time after `time`. Each change lasts
    /// until another change replaces it, even across starts.
    ///
    /// - Throws: `memoryError` if more than 20,000 parameters and control points would be queued.
    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
    /// Changes a parameter along a curve that starts at `time`. The relative time of the curve is
    /// ignored.
    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval) throws
    /// Stops the player as soon as possible, and discards parameters and curves that have not taken
    /// effect.
    func cancel() throws
    /// True if the player is muted and continues silently. False by default.
    var isMuted: Bool { get set }
}

/// A player that can pause, resume, seek and loop, and whose playback rate can be changed.
public protocol HapticAdvancedPatternPlayer: HapticPatternPlayer {
    /// Pauses the player a few milliseconds after `time`. Unlike starts, stops and parameters, a
    /// pause is not exact. A pause may be requested before the player starts; the pause still takes
    /// effect at `time`.
    func pause(atTime time: TimeInterval) throws
    /// Resumes the player at the offset at which it was paused, with the accuracy of
    /// ``pause(atTime:)``.
    func resume(atTime time: TimeInterval) throws
    /// Continues at an offset of the pattern, in seconds. If the offset is at or beyond the end of
    /// the pattern, the player ends, or starts again if the player loops.
    func seek(toOffset offsetTime: TimeInterval) throws
    /// True if the pattern repeats until the player is stopped. False by default.
    var loopEnabled: Bool { get set }
    /// The end of a repetition, in seconds of the pattern, 0...86,400 (one day); 0 means the end of
    /// the last event. Values outside the range are clamped. A repetition takes at least 10 ms.
    var loopEnd: TimeInterval { get set }
    /// The playback rate, 1/64...64; 1 by default. The rate scales times and durations. Values
    /// outside the range are clamped; NaN is ignored.
    var playbackRate: Float { get set }
    /// A handler that is called once after each end, including a stop, on a queue of the engine and
    /// never on the main thread. A task can wait for the end with ``HapticPatternPlayer/finished``.
    var completionHandler: HapticAdvancedPatternPlayerCompletionHandler { get set }
}

extension HapticPatternPlayer {
    /// Waits until the pattern has ended or the player has been stopped. Returns immediately if the
    /// player is not playing, or was not created by an engine.
    ///
    /// - Throws: ``HapticError`` with the reason why the engine could not continue to play, or
    ///   `CancellationError` if the task is canceled.
    nonisolated(nonsending) public var finished: Void {
        get async throws {
            if let player = self as? EnginePlayer { try await player.waitUntilOver() }
        }
    }
}

/// A handler that is called at the end of playback, with nil or the reason why the engine could not
/// continue to play.
public typealias HapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void
/// The Core Haptics name of ``HapticPatternPlayer``.
public typealias CHHapticPatternPlayer = HapticPatternPlayer
/// The Core Haptics name of ``HapticAdvancedPatternPlayer``.
public typealias CHHapticAdvancedPatternPlayer = HapticAdvancedPatternPlayer
/// The Core Haptics name of ``HapticAdvancedPatternPlayerCompletionHandler``.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler =
    HapticAdvancedPatternPlayerCompletionHandler

extension HostTime {
    /// Converts an engine time in seconds to a host time; 0 means the current time.
    ///
    /// - Throws: ``HapticError`` `invalidTime` if the time is negative, NaN, or at least 1e12 s.
    static func checked(_ time: TimeInterval) throws(HapticError) -> HostTime {
        HostTime(microseconds: try .checked(time))
    }

    /// The time in seconds, as in the public interface of the engine.
    var seconds: TimeInterval { microseconds.seconds }
}

extension Microseconds {
    /// Converts an offset from seconds to microseconds.
    ///
    /// - Throws: ``HapticError`` `invalidTime` if the offset is negative, NaN, or at least 1e12 s.
    static func checked(_ time: TimeInterval) throws(HapticError) -> Microseconds {
        guard time >= 0, time < 1e12 else {
            throw HapticError(.invalidTime, "\(time) s is not a valid engine time")
        }
        return Microseconds(seconds: time)
    }
}
