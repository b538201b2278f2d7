// OSCLocalityPlayer: plays OSC messages at one locality.

import Foundation
import HapticBridge
import ProgramProtocols

/// An engine with a player for the level and players for taps and patterns.
final class OSCLocalityPlayer {
    private struct Playing {
        let player: any HapticAdvancedPatternPlayer
        let isPattern: Bool
        let end: TimeInterval
    }

    let engine: HapticEngine
    /// The gain of new effects, 0...1.
    private(set) var gain = 1.0
    private var sharpness: Double?
    private let level: LevelPlayer
    /// The level that was set most recently without a time.
    private var target = OSCLevels.Level.rest
    private var tapTime = -1.0
    private var playing: [Playing] = []

    /// The minimum interval between two taps, in seconds; taps that are closer together cannot be
    /// distinguished.
    private static let tapInterval = 0.005
    /// The maximum number of taps and patterns that are playing or scheduled.
    private static let playersMax = 128

    init(_ engine: HapticEngine) {
        self.engine = engine
        level = LevelPlayer(engine)
    }

    // MARK: Levels

    /// Sets the level at a time on the engine's clock, or immediately if the time is nil.
    func setLevel(_ level: OSCLevels.Level, at time: TimeInterval?) throws {
        if time == nil { target = level }
        try self.level.set(
            LevelPlayer.Level(
                intensity: level.intensity * gain, sharpness: sharpness ?? level.sharpness),
            at: time)
    }

    private static func parameter(
        _ id: CHHapticDynamicParameter.ID, _ value: Double
    ) -> CHHapticDynamicParameter {
        CHHapticDynamicParameter(parameterID: id, value: Float(value), relativeTime: 0)
    }

    // MARK: Taps and patterns

    /// Plays a tap. Returns false if the tap is too close to the previous one, or if too many
    /// effects are playing.
    func tap(intensity: Double, sharpness: Double, at time: TimeInterval?) throws -> Bool {
        let begin = time ?? engine.currentTime
        guard abs(begin - tapTime) >= Self.tapInterval else { return false }
        tapTime = begin
        let pattern = try OSCPatterns.tap(
            intensity: intensity * gain, sharpness: self.sharpness ?? sharpness)
        return try start(pattern, isPattern: false, at: time)
    }

    /// Plays a pattern. Returns false if too many effects are playing.
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

    /// The dynamic parameters that messages have set for patterns.
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
        try setLevel(target, at: nil)
        for playing in playing where playing.isPattern {
            try playing.player.sendParameters(controls, atTime: CHHapticTimeImmediate)
        }
    }

    // MARK: The end

    /// Stops all effects and discards scheduled ones.
    func stop() {
        for playing in playing { try? playing.player.cancel() }
        playing = []
        level.stop()
        (target, sharpness) = (.rest, nil)
    }

    /// Removes players that have finished, and sends a deferred level.
    func tick() throws {
        prune()
        try level.tick()
    }
}
