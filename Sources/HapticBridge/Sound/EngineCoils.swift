// EngineCoils: an engine that plays on voice coils instead of a board.

import BoardEngine
import BridgeLink
import HapticBoards
import SerialPorts

/// The voice coils of one engine, with the user's settings.
final class EngineCoils: Sendable {
    private struct State {
        var isMuted = false
        var settings: SettingsWatch?
        var nextCheckAt: HostTime = 0
        var failure: String?
    }

    private let output: VoiceCoilOutput
    private let locality: HapticLocality
    private let state = LockedValue(State())

    /// The interval between two checks of the settings, in microseconds.
    static let interval = Microseconds(SettingsWatch.interval)

    init(_ output: VoiceCoilOutput, _ locality: HapticLocality) {
        (self.output, self.locality) = (output, locality)
    }

    deinit { close() }

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    /// Opens the sound device and waits until it plays. `wake` is called when the device is lost.
    func open(at now: HostTime, wake: @escaping @Sendable () -> Void) throws(HapticError) {
        let settings: SettingsWatch
        do {
            settings = try SettingsWatch()
        } catch {
            throw HapticError(connecting: error)
        }
        let isMuted = state.withLock { state in
            (state.settings, state.nextCheckAt, state.failure) = (settings, 0, nil)
            return state.isMuted
        }
        output.setGain(settings.present.isFelt ? settings.present.gain : 0)
        try output.open(for: id, at: locality, isMuted: isMuted, now: now) { [weak self] reason in
            self?.state.withLock { $0.failure = reason }
            wake()
        }
        if let failure { throw HapticError(.notSupported, failure.message) }
    }

    /// Ends all output and waits until the coils are at rest.
    func close() { output.close(for: id) }

    /// The reason why the sound device was lost; nil if it plays.
    var failure: HapticError? {
        state.withLock { $0.failure.map { HapticError(.serverInterrupted, $0) } }
    }

    /// Applies changes of the user's settings.
    func followSettings(at now: HostTime) {
        let change = state.withLock { state -> EffectiveHaptics? in
            guard now >= state.nextCheckAt else { return nil }
            state.nextCheckAt = now + Self.interval
            return state.settings?.change()
        }
        if let change { output.setGain(change.isFelt ? change.gain : 0) }
    }

    func setMuted(_ isMuted: Bool) {
        state.withLock { $0.isMuted = isMuted }
        output.setMuted(isMuted, for: id)
    }

    /// True if a coil is silent because its output lasted too long.
    var isLimited: Bool { output.isLimited }

    func earliestStart(at now: HostTime) -> HostTime { output.earliestStart(at: now) }

    func perform(_ commands: [PlayerCommand], of player: PlayerID, at now: HostTime) {
        output.perform(commands, of: player, for: id, at: now)
    }

    func forgetVoices() { output.forgetVoices(of: id) }
}
