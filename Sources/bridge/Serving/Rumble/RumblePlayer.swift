// RumblePlayer: plays the effects of games on a board.

import BridgeLink
import HapticBridge
import ProgramProtocols
import SerialPorts

/// The effects that games upload to a gamepad, and the engine that plays them. Only one thread at a
/// time may use the player.
final class RumblePlayer {
    private let engine: HapticEngine
    private let level: LevelPlayer
    private var effects = RumbleEffects()

    /// Starts an engine at the default locality of a board.
    ///
    /// - Parameter onFailure: a closure that is called on a queue of the engine if the board can no
    ///   longer play.
    init(
        _ device: HapticDevice, onFailure: @escaping @Sendable (HapticError) -> Void,
        onStart: (HapticEngine) -> Void
    ) throws {
        engine = try .forMessages(on: device, at: .default, onFailure: onFailure)
        level = LevelPlayer(engine)
        onStart(engine)
    }

    private var now: Microseconds { hostClock.now().microseconds }

    /// Performs an event from the kernel.
    func receive(_ event: RumbleEvent, from gamepad: any RumbleGamepad) {
        switch event {
        case .upload(let request):
            gamepad.answer(upload: request) { bytes in
                guard let effect = RumbleEffect(bytes) else { return false }
                effects.upload(effect, at: now)
                return true
            }
        case .erase(let request):
            if let id = gamepad.answer(erasure: request) { effects.erase(id) }
        case .play(let id, let count): effects.play(id, count: count, at: now)
        case .gain(let gain): effects.setGain(gain)
        }
    }

    /// Plays the levels of the effects at this time, and sends a deferred level. Must be called
    /// after events, and every few milliseconds.
    func tick() {
        let motors = effects.motors(at: now)
        // A level that could not be sent is sent again at the next call.
        try? level.set(
            LevelPlayer.Level(intensity: motors.intensity, sharpness: motors.sharpness), at: nil)
        try? level.tick()
    }

    /// The next time at which an effect begins or ends.
    var nextChange: HostTime {
        effects.nextChange(after: now).map { HostTime(microseconds: $0) } ?? .never
    }

    /// Ends all effects.
    func stop() {
        effects.removeAll()
        level.stop()
    }

    /// Brings everything to rest and waits until it is at rest.
    func end() { [engine].stopAll() }
}
