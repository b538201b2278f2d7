// Players as an app sees them: Core Haptics' two protocols.

import AHAP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time that means "now" wherever a time is asked for; the name is Core Haptics'.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CHHapticTimeImmediate: TimeInterval = 0

/// Plays a pattern once for each start.
///
/// A player that the app lets go of plays to its end; if it has none, as it repeats, is paused or has
/// an event without an end, it is over at once.
///
/// Times are those of ``HapticEngine/currentTime``, in seconds; 0, and any that has passed, means
/// now. Every method throws ``HapticError``: `engineNotRunning`, `invalidTime` for a negative time,
/// and `invalidPatternPlayer` after a reset of the board, which no player survives.
///
/// Those that an engine makes may be used from any thread. The type does not say so, as Core Haptics'
/// does not, so that a class of an app may be one too.
public protocol HapticPatternPlayer: AnyObject {
    /// Plays the pattern from its beginning.
    func start(atTime time: TimeInterval) throws
    /// Stops; what sounds is cut off.
    func stop(atTime time: TimeInterval) throws
    /// Changes parameters abruptly, each at `time` and its own relative time behind it. They hold
    /// until others replace them, from start to start.
    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
    /// Moves a parameter along a curve that starts at `time`; its relative time is without effect.
    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval) throws
    /// Stops as soon as possible, and forgets what was sent and has not taken effect.
    func cancel() throws
    /// Whether nothing of it is felt, though it goes on. False at first.
    var isMuted: Bool { get set }
}

/// Plays a pattern that can be paused, sought, repeated, and played faster or slower.
public protocol HapticAdvancedPatternPlayer: HapticPatternPlayer {
    /// Stands still where it is, some milliseconds after `time`: unlike starts, stops and parameters it
    /// is not exact. A pause that is given ahead of a start in time waits for its time.
    func pause(atTime time: TimeInterval) throws
    /// Goes on from where it was paused, as exactly as ``pause(atTime:)``.
    func resume(atTime time: TimeInterval) throws
    /// Goes on at an offset of the pattern in seconds. At or behind the end it is over, or starts
    /// over if it repeats.
    func seek(toOffset offsetTime: TimeInterval) throws
    /// Whether the pattern repeats until it is stopped. False at first.
    var loopEnabled: Bool { get set }
    /// Where a repetition ends, in seconds of the pattern, 0...86,400 (one day); 0 is the end of the
    /// last event. What lies beyond is taken as the nearest of them. A repetition takes 10 ms at least.
    var loopEnd: TimeInterval { get set }
    /// How fast the pattern plays, 1/64...64; 1 at first. It scales times and durations. What lies
    /// beyond is taken as the nearest of them; what is no number is without effect.
    var playbackRate: Float { get set }
    /// Called once after each end, also after a stop; off the main thread.
    var completionHandler: HapticAdvancedPatternPlayerCompletionHandler { get set }
}

extension HapticPatternPlayer {
    /// Waits until the player is over: its pattern has ended, or it was stopped. Returns at once if it
    /// does not play, and if it is none that an engine has made.
    ///
    /// - Throws: ``HapticError`` with the reason why the engine could not play on, or
    ///   `CancellationError` once the task is cancelled.
    nonisolated(nonsending) public var finished: Void {
        get async throws {
            if let player = self as? EnginePlayer { try await player.waitUntilOver() }
        }
    }
}

/// Told at the end of a playback: nil, or why the engine could not play on.
public typealias HapticAdvancedPatternPlayerCompletionHandler = ((any Error)?) -> Void
/// Core Haptics' spelling.
public typealias CHHapticPatternPlayer = HapticPatternPlayer
/// Core Haptics' spelling.
public typealias CHHapticAdvancedPatternPlayer = HapticAdvancedPatternPlayer
/// Core Haptics' spelling.
public typealias CHHapticAdvancedPatternPlayerCompletionHandler =
    HapticAdvancedPatternPlayerCompletionHandler

extension Microseconds {
    /// A time of the engine in microseconds; 0 for now.
    ///
    /// - Throws: ``HapticError`` `invalidTime` if it is negative, no number or beyond all use.
    static func checked(_ time: TimeInterval) throws -> Microseconds {
        guard time >= 0, time < 1e12 else {
            throw HapticError(.invalidTime, "\(time) s is not a time of the engine")
        }
        return Microseconds(seconds: time)
    }
}
