// The two player protocols of Core Haptics.

import BridgeLink
import Foundation
import HapticBoards
import HapticPatterns

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The time that stands for "now" wherever a time is passed, under its Core Haptics name.
public let CHHapticTimeImmediate: TimeInterval = 0

/// Plays a pattern once for each start.
///
/// A player that the app releases plays to its end. If the player has no end, because it loops, is
/// paused or has an event without an end, it is over at once.
///
/// Times are those of ``HapticEngine/currentTime``, in seconds; 0 and any time that has passed mean
/// now. Every method throws ``HapticError``: `engineNotRunning`, `invalidTime` for a negative time,
/// and `invalidPatternPlayer` after a reset of the board, which no player survives.
///
/// Players that an engine makes may be used from any thread, and throw nothing but ``HapticError``. As in
/// Core Haptics, the protocol expresses neither, so that a class of an app may conform too.
public protocol HapticPatternPlayer: AnyObject {
    /// Plays the pattern from its beginning at `time`. Each start that is requested ahead takes effect
    /// at its own time; one that comes while the player plays begins the pattern anew.
    func start(atTime time: TimeInterval) throws
    /// Stops the player at `time`. Whatever is being played is cut off. The starts and stops that
    /// were requested before for later times are cancelled; those that are requested afterwards are
    /// not.
    func stop(atTime time: TimeInterval) throws
    /// Changes parameters abruptly, each at its own relative time after `time`. The changes last
    /// until others replace them, even across starts.
    ///
    /// - Throws: `memoryError` if more than 20,000 parameters and control points would wait for their times.
    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
    /// Moves a parameter along a curve that starts at `time`. The relative time of the curve is
    /// without effect.
    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval) throws
    /// Stops as soon as possible, and discards parameters and curves that have not taken effect.
    func cancel() throws
    /// True if the player is muted, so that nothing of it is felt although it continues. False at
    /// first.
    var isMuted: Bool { get set }
}

/// Plays a pattern that can be paused, resumed, sought, looped, and played faster or slower.
public protocol HapticAdvancedPatternPlayer: HapticPatternPlayer {
    /// Pauses the player some milliseconds after `time`. Unlike starts, stops and parameters, a
    /// pause is not exact. A pause may be requested before the start, and waits for its time.
    func pause(atTime time: TimeInterval) throws
    /// Resumes the player where it was paused, as exactly as ``pause(atTime:)``.
    func resume(atTime time: TimeInterval) throws
    /// Continues at an offset of the pattern, in seconds. At the end or beyond it the player is
    /// over, or starts again if it loops.
    func seek(toOffset offsetTime: TimeInterval) throws
    /// True if the pattern is repeated until the player is stopped. False at first.
    var loopEnabled: Bool { get set }
    /// The end of a repetition, in seconds of the pattern, 0...86,400 (one day); 0 is the end of
    /// the last event. Values outside the range are moved to its nearest end. A repetition takes 10
    /// ms at least.
    var loopEnd: TimeInterval { get set }
    /// The speed at which the pattern plays, 1/64...64; 1 at first. It scales times and durations.
    /// Values outside the range are moved to its nearest end; a value that is not a number is
    /// without effect.
    var playbackRate: Float { get set }
    /// A handler that is called once after each end, including a stop, on a queue of the engine and
    /// never on the main thread. A task waits for the end by ``HapticPatternPlayer/finished``.
    var completionHandler: HapticAdvancedPatternPlayerCompletionHandler { get set }
}

extension HapticPatternPlayer {
    /// Waits until the player is over because its pattern has ended or it was stopped. Returns at
    /// once if the player is not playing, or was not made by an engine.
    ///
    /// - Throws: ``HapticError`` with the reason why the engine could not continue to play, or
    ///   `CancellationError` once the task is cancelled.
    nonisolated(nonsending) public var finished: Void {
        get async throws {
            if let player = self as? EnginePlayer { try await player.waitUntilOver() }
        }
    }
}

/// A handler that is called at the end of a playback, with nil or with the reason why the engine
/// could not continue to play.
public typealias HapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void
/// The Core Haptics name of ``HapticPatternPlayer``.
public typealias CHHapticPatternPlayer = HapticPatternPlayer
/// The Core Haptics name of ``HapticAdvancedPatternPlayer``.
public typealias CHHapticAdvancedPatternPlayer = HapticAdvancedPatternPlayer
/// The Core Haptics name of ``HapticAdvancedPatternPlayerCompletionHandler``.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler =
    HapticAdvancedPatternPlayerCompletionHandler

extension HostTime {
    /// Converts a time of the engine from seconds; 0 stands for now.
    ///
    /// - Throws: ``HapticError`` `invalidTime` if the time is negative, not a number, or at least
    ///   1e12 s.
    static func checked(_ time: TimeInterval) throws(HapticError) -> HostTime {
        HostTime(microseconds: try .checked(time))
    }

    /// The time in seconds, as an engine gives it.
    var seconds: TimeInterval { microseconds.seconds }
}

extension Microseconds {
    /// Converts an offset from seconds to microseconds.
    ///
    /// - Throws: ``HapticError`` `invalidTime` if the offset is negative, not a number, or at least
    ///   1e12 s.
    static func checked(_ time: TimeInterval) throws(HapticError) -> Microseconds {
        guard time >= 0, time < 1e12 else {
            throw HapticError(.invalidTime, "\(time) s is not a time of the engine")
        }
        return Microseconds(seconds: time)
    }
}
