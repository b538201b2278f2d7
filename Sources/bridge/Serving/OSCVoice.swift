// OSCVoice: what messages play at one locality.

import Foundation
import HapticBridge
import OpenSoundControl

/// An engine with a player that holds the level, and players of taps and patterns.
final class OSCVoice {
    private struct Playing {
        let player: any HapticAdvancedPatternPlayer
        let isPattern: Bool
        let end: TimeInterval
    }

    let engine: HapticEngine
    /// The strength of what begins from now on, 0...1.
    private(set) var gain = 1.0
    private var sharpness: Double?
    private var level: (any HapticAdvancedPatternPlayer)?
    private var isLevelPlaying = false
    /// The latest time for which a level has been set.
    private var levelTime = 0.0
    private var target = OSCLevels.Level.rest
    private var sent: OSCLevels.Level?
    private var sentTime = 0.0
    private var tapTime = -1.0
    private var playing: [Playing] = []

    /// The shortest time between two changes of the level at once, in seconds. The board follows no
    /// faster.
    private static let levelInterval = 0.002
    /// The shortest time between two taps, in seconds: nearer ones are not told apart.
    private static let tapInterval = 0.005
    /// The most taps and patterns that play or wait for their time.
    private static let playersMax = 128
    /// The time in seconds for which a player holds a level of 0 before it ends.
    private static let restTime = 1.0

    init(_ engine: HapticEngine) { self.engine = engine }

    // MARK: Levels

    /// Sets the level, at a time of the engine's clock; nil for at once.
    func setLevel(_ level: OSCLevels.Level, at time: TimeInterval?) throws {
        guard let time else {
            target = level
            return try sendLevel()
        }
        try send(level, at: time)
    }

    /// Sends the newest level, unless one has been sent just now: then the next call does.
    func sendLevel() throws {
        let now = engine.currentTime
        guard target != sent, now - sentTime >= Self.levelInterval else { return }
        sentTime = now
        try send(target, at: CHHapticTimeImmediate)
        sent = target
    }

    private func send(_ level: OSCLevels.Level, at time: TimeInterval) throws {
        guard self.level != nil || level.intensity > 0 else { return }
        do {
            let player =
                try self.level ?? engine.makeAdvancedPlayer(with: OSCPatterns.level())
            self.level = player
            try player.sendParameters(
                [
                    Self.parameter(.hapticIntensityControl, level.intensity * gain),
                    Self.parameter(.hapticSharpnessControl, sharpness ?? level.sharpness),
                ], atTime: time)
            if !isLevelPlaying, level.intensity > 0 {
                try player.start(atTime: time)
                isLevelPlaying = true
            }
            levelTime = max(levelTime, time, engine.currentTime)
        } catch {
            // After a reset of the board, players are made again.
            (self.level, isLevelPlaying, sent) = (nil, false, nil)
            throw error
        }
    }

    private static func parameter(
        _ id: CHHapticDynamicParameter.ID, _ value: Double
    ) -> CHHapticDynamicParameter {
        CHHapticDynamicParameter(parameterID: id, value: Float(value), relativeTime: 0)
    }

    // MARK: Taps and patterns

    /// Plays a tap. Returns false if it is too near to the last one, or too much plays already.
    func tap(intensity: Double, sharpness: Double, at time: TimeInterval?) throws -> Bool {
        let begin = time ?? engine.currentTime
        guard abs(begin - tapTime) >= Self.tapInterval else { return false }
        tapTime = begin
        let pattern = try OSCPatterns.tap(
            intensity: intensity * gain, sharpness: self.sharpness ?? sharpness)
        return try start(pattern, isPattern: false, at: time)
    }

    /// Plays a pattern. Returns false if too much plays already.
    func play(_ pattern: CHHapticPattern, at time: TimeInterval?) throws -> Bool {
        try start(pattern, isPattern: true, at: time)
    }

    private func start(
        _ pattern: CHHapticPattern, isPattern: Bool, at time: TimeInterval?
    ) throws -> Bool {
        prune()
        guard playing.count < Self.playersMax else { return false }
        let player = try engine.makeAdvancedPlayer(with: pattern)
        if isPattern { try player.sendParameters(controls, atTime: CHHapticTimeImmediate) }
        try player.start(atTime: time ?? CHHapticTimeImmediate)
        let begin = time ?? engine.currentTime
        playing.append(
            Playing(player: player, isPattern: isPattern, end: begin + pattern.duration + 0.1))
        return true
    }

    /// The parameters that the senders have set for patterns.
    private var controls: [CHHapticDynamicParameter] {
        [Self.parameter(.hapticIntensityControl, gain)]
            + (sharpness.map { [Self.parameter(.hapticSharpnessControl, 2 * $0 - 1)] } ?? [])
    }

    private func prune() {
        let now = engine.currentTime
        playing.removeAll { $0.end < now }
    }

    // MARK: Parameters

    func setGain(_ gain: Double) throws {
        self.gain = gain
        try apply()
    }

    func setSharpness(_ sharpness: Double) throws {
        self.sharpness = sharpness
        try apply()
    }

    private func apply() throws {
        sent = nil
        try sendLevel()
        for playing in playing where playing.isPattern {
            try playing.player.sendParameters(controls, atTime: CHHapticTimeImmediate)
        }
    }

    // MARK: The end

    /// Brings everything to rest, and discards what was to come.
    func stop() {
        for playing in playing { try? playing.player.cancel() }
        playing = []
        try? level?.cancel()
        (level, isLevelPlaying, target, sent, sharpness) = (nil, false, .rest, nil, nil)
    }

    /// Ends players that are over, and sends a level that waited.
    func tick() throws {
        prune()
        try sendLevel()
        guard isLevelPlaying, target.intensity == 0,
            engine.currentTime > levelTime + Self.restTime
        else { return }
        try level?.stop(atTime: CHHapticTimeImmediate)
        isLevelPlaying = false
    }
}
