// PlayCoils: plays patterns on voice coils of a sound device.

import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import SerialPorts
import ToolSupport

/// Plays patterns on voice coils through an engine without a board, synchronized with boards.
final class PlayCoils {
    private let coils: VoiceCoils
    private let engine: HapticEngine
    /// The gain that the engine multiplies by the user's gain.
    private let gain: Double
    private var playback: PatternPlayback?
    /// True if the limit of the duration has ended the output during the latest pattern.
    private(set) var wasLimited = false

    /// The maximum time between a signal and the stop of the coils, in microseconds.
    static let nap: Microseconds = 1_000

    /// Opens the sound device. Throws `ToolError` if it cannot be opened.
    init(_ coils: VoiceCoils, for play: Play, _ settings: PlaySettings) throws {
        HapticSound.install()
        self.coils = coils
        engine = HapticEngine(device: .voiceCoils(coils), locality: play.chosenLocality)
        engine.playsHapticsOnly = true
        engine.isMutedForHaptics = play.mute
        gain = settings.engineGain(for: play.gain)
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(.noBoard, "--output: \(error.message)")
        }
    }

    /// The output as text.
    var name: String { coils.output }

    /// The earliest time at which a pattern can start.
    var earliestStart: HostTime { engine.earliestSoundTime }

    /// The reason why the sound device was lost; nil if it plays.
    var failure: ToolError? {
        guard !engine.isRunning else { return nil }
        return ToolError(.inputOutput, engine.failure?.message ?? "\(name): the engine has stopped")
    }

    /// Starts a pattern at a time. Throws `ToolError` for a compiled file.
    func start(_ file: PatternFile, at time: HostTime) throws {
        guard let pattern = file.source?.pattern else {
            throw ToolError(
                .usage, "\(file.name): a compiled file cannot be played by --output",
                advice: "play the AHAP file from which it was compiled")
        }
        var options = PatternPlayback.Options(0..<max(pattern.playedLength, 1))
        options.gain = gain
        wasLimited = false
        do {
            playback = try PatternPlayback(pattern, on: engine, options, at: time)
        } catch {
            throw failure ?? ToolError(.internalError, "\(name): \(error.message)")
        }
    }

    /// Records whether the limit of the duration has been reached. This method must be called
    /// regularly.
    func follow() { wasLimited = wasLimited || engine.isOutputLimited }

    /// Waits until the last tap of the pattern has ended, or a signal requests the end.
    func finish() {
        let end = Link.now() + Microseconds(1_500_000 / coils.band.lowerBound)
        Interruption.deferred {
            while Link.now() < end, !Interruption.isRequested { hostClock.sleep(for: Self.nap) }
        }
        if Interruption.isRequested { stop() }
    }

    /// Stops the pattern.
    func stop() {
        playback?.cancel()
        playback = nil
    }

    /// Brings the coils to rest and releases the sound device.
    func close() { engine.stopAndWait() }

    /// Prints a line if the output was limited.
    func remarkLimit(_ output: OutputOptions) {
        guard wasLimited else { return }
        output.remark(
            "\(name): the output was ended after "
                + "\(Microseconds(coils.maximumDuration).secondsText) without a pause; --longest "
                + "changes this limit")
    }
}
