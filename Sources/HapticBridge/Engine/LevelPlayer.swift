// LevelPlayer: a level that a program sets continuously.

import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// A player of a single level, which has the intensity and sharpness that were set most recently.
/// Only one thread at a time may use the player.
package final class LevelPlayer {
    /// An intensity and a sharpness, each 0...1.
    package struct Level: Equatable {
        package var intensity: Double
        package var sharpness: Double

        package init(intensity: Double, sharpness: Double) {
            (self.intensity, self.sharpness) = (intensity, sharpness)
        }
    }

    private let engine: HapticEngine
    private var player: EnginePlayer?
    /// True while the player is playing. Another program or the engine may stop the player.
    private let isPlaying = LockedValue(false)
    /// The latest time for which a level has been set.
    private var lastTime = 0.0
    private var target = Level(intensity: 0, sharpness: 0)
    private var sent: Level?
    private var sentTime = 0.0

    /// The minimum interval between two immediate changes of the level, in seconds. The board
    /// cannot follow faster changes.
    private static let interval = 0.002
    /// The duration of a level of 0, in seconds, after which the player ends.
    private static let restTime = 1.0

    package init(_ engine: HapticEngine) { self.engine = engine }

    /// Sets the level.
    ///
    /// - Parameter time: a time of the engine's clock; nil for the current time. If more than one
    ///   level is set for the current time within 2 ms, only the newest level takes effect, at the
    ///   next call of ``tick()``.
    /// - Throws: a ``HapticError`` if the engine cannot play.
    package func set(_ level: Level, at time: TimeInterval?) throws(HapticError) {
        guard let time else {
            target = level
            return try sendTarget()
        }
        try send(level, at: time)
    }

    /// Sends a level that is waiting, and ends the player when the level has been 0 for a second.
    /// Must be called every few milliseconds.
    package func tick() throws(HapticError) {
        try sendTarget()
        guard isPlaying.withLock(\.self), target.intensity == 0,
            engine.currentTime > lastTime + Self.restTime
        else { return }
        try player?.stop(atTime: CHHapticTimeImmediate)
    }

    /// Ends the level immediately.
    package func stop() {
        try? player?.cancel()
        isPlaying.withLock { $0 = false }
        (player, sent) = (nil, nil)
        target = Level(intensity: 0, sharpness: 0)
    }

    private func sendTarget() throws(HapticError) {
        let now = engine.currentTime
        guard target != sent, now - sentTime >= Self.interval else { return }
        sentTime = now
        try send(target, at: CHHapticTimeImmediate)
        sent = target
    }

    private func send(_ level: Level, at time: TimeInterval) throws(HapticError) {
        do throws(HapticError) {
            try sendOnce(level, at: time)
        } catch  where error.code == .invalidPatternPlayer {
            // The player became invalid when the board was reset, so a new player is created.
            try sendOnce(level, at: time)
        }
    }

    private func sendOnce(_ level: Level, at time: TimeInterval) throws(HapticError) {
        guard player != nil || level.intensity > 0 else { return }
        do throws(HapticError) {
            let player: EnginePlayer
            if let present = self.player {
                player = present
            } else {
                player = try EnginePlayer(.level, of: engine.core, keeping: engine)
                player.completionHandler = { [isPlaying] _ in isPlaying.withLock { $0 = false } }
            }
            self.player = player
            try player.sendParameters(
                [
                    CHHapticDynamicParameter(
                        parameterID: .hapticIntensityControl, value: Float(level.intensity),
                        relativeTime: 0),
                    CHHapticDynamicParameter(
                        parameterID: .hapticSharpnessControl, value: Float(level.sharpness),
                        relativeTime: 0),
                ], atTime: time)
            if !isPlaying.withLock(\.self), level.intensity > 0 {
                try player.start(atTime: time)
                isPlaying.withLock { $0 = true }
            }
            lastTime = max(lastTime, time, engine.currentTime)
        } catch {
            // A new player is created for the next level.
            (player, sent) = (nil, nil)
            isPlaying.withLock { $0 = false }
            throw error
        }
    }
}

extension HapticPattern {
    /// A continuous event without an end. The parameters of its player set its level and its
    /// sharpness.
    fileprivate static let level = HapticPattern(events: [
        HapticEvent(.hapticContinuous, time: 0, intensity: 1, sharpness: 0)
    ])
}
