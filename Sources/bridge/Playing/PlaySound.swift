// PlaySound: plays the sounds of patterns.

import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import HapticCompiler
import HapticPatterns
import SerialPorts
import ToolSupport

/// Plays the sounds of patterns in this process, through an engine without a board, synchronized
/// with the boards.
final class PlaySound {
    private let engine = HapticEngine(device: .preview)
    private let output: OutputOptions
    /// The players of each pattern: for its sounds, and for its preview.
    private let players: [[any CHHapticAdvancedPatternPlayer]]
    /// The number of players of the current pattern that have not finished.
    private var playing = LockedValue(0)
    /// True if a pattern contains sounds, so that a failure of the sound device is reported.
    private let hasSounds: Bool
    private var hasRemarked = false

    /// The maximum duration of one sleep while sounds play, in microseconds.
    private static let nap: Microseconds = 10_000

    /// Reads the sounds of patterns and opens the sound device. Returns nil if there is no sound to
    /// play.
    ///
    /// A sound that cannot be played is removed from its pattern, and a warning is printed. Throws
    /// `ToolError` for such a sound in strict mode.
    ///
    /// - Parameter isPreview: true to play a tone for the haptics as well.
    init?(
        _ patterns: inout [PatternFile], isPreview: Bool, _ options: SoundOptions,
        _ reading: ReadingOptions, _ output: OutputOptions
    ) throws {
        guard !options.isOff, isPreview || patterns.contains(where: \.hasSound) else { return nil }
        HapticSound.install()
        self.output = output
        engine.audioDelay = options.delay
        engine.isMutedForHaptics = true
        var players: [[any CHHapticAdvancedPatternPlayer]] = []
        for index in patterns.indices {
            let sound = try patterns[index].player(on: engine, reading, output)
            let preview = isPreview ? try patterns[index].previewPlayer(on: engine) : nil
            players.append([sound, preview].compactMap(\.self))
        }
        self.players = players
        hasSounds = patterns.contains(where: \.hasSound)
        guard hasSounds || isPreview else { return nil }
        try engine.start()
    }

    /// The earliest time at which a pattern and its sound can start in sync.
    var earliestStart: HostTime { engine.earliestSoundTime }

    /// Returns the number of audible sounds of a pattern; 0 without a sound device.
    func count(of pattern: PatternFile) -> Int {
        engine.soundFailure == nil ? pattern.audioEvents : 0
    }

    /// Starts the sounds of a pattern at a time.
    func start(_ index: Int, at time: HostTime) throws {
        let playing = LockedValue(players[index].count)
        self.playing = playing
        for player in players[index] {
            player.completionHandler = { _ in playing.withLock { $0 -= 1 } }
            try player.start(atTime: TimeInterval(time.microseconds) / 1_000_000)
        }
    }

    /// Waits until the started sounds have ended, or a signal requests the end.
    func finish() {
        defer { remarkFailure() }
        Interruption.deferred {
            while !Interruption.isRequested, engine.soundFailure == nil,
                playing.withLock({ $0 > 0 })
            {
                hostClock.sleep(for: Self.nap)
            }
        }
        if Interruption.isRequested { stop() }
    }

    /// Stops all sounds.
    func stop() {
        for player in players.joined() { try? player.cancel() }
        playing.withLock { $0 = 0 }
    }

    /// Prints the reason why the sound cannot be played, unless it has been printed before.
    private func remarkFailure() {
        guard hasSounds, !hasRemarked, let failure = engine.soundFailure else { return }
        hasRemarked = true
        output.remark("the sound of the pattern is not played: \(failure)")
    }
}

extension PatternFile {
    /// True if the pattern has a sound.
    var hasSound: Bool { audioEvents > 0 }

    /// The number of audio events in the pattern or in its tone.
    fileprivate var audioEvents: Int {
        (tone?.value ?? pattern)?.events.count { !$0.type.isHaptic } ?? 0
    }

    /// The tone of a named pattern; nil if it has none.
    private var tone: CHHapticPattern? {
        soundBase == nil ? SystemFeedback(rawValue: name)?.tone : nil
    }

    /// True for a built-in pattern.
    var isNamed: Bool { soundBase == nil && NamedPattern(name) != nil }

    /// Returns a player for the sounds of the pattern; nil if there are none. Removes sounds that
    /// cannot be played, after printing a warning for each. Throws `ToolError` for such a sound in
    /// strict mode.
    fileprivate mutating func player(
        on engine: HapticEngine, _ reading: ReadingOptions, _ output: OutputOptions
    ) throws -> (any CHHapticAdvancedPatternPlayer)? {
        do {
            return try engine.player(of: sounds)
        } catch let error as HapticError where error.isOfSound {
            try omitUnplayableSounds(reading, output)
            return try engine.player(of: sounds)
        }
    }

    /// The pattern with its sounds; nil if there are none.
    private var sounds: CHHapticPattern? {
        guard hasSound, let source else { return nil }
        return tone ?? CHHapticPattern(source, file: soundBase)
    }

    /// Returns a player for the haptics as sound: volume follows intensity, pitch follows
    /// sharpness. Returns nil for a pattern that is too long.
    fileprivate func previewPlayer(
        on engine: HapticEngine
    ) throws -> (any CHHapticAdvancedPatternPlayer)? {
        guard (try? PatternTraces.checkSoundLength(of: asDesigned)) != nil else { return nil }
        let traces = PatternTraces(asDesigned, on: [], options: CompilerOptions())
        let file = FileManager.default.temporaryDirectory
            .appending(path: "bridge-preview-\(UUID().uuidString).wav")
        try Data(traces.sound.bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let event = CHHapticEvent(
            audioResourceID: try engine.registerAudioResource(file), parameters: [], relativeTime: 0
        )
        return try engine.player(of: CHHapticPattern(events: [event], parameters: []))
    }
}

extension HapticEngine {
    /// Returns a player for a pattern; nil if the pattern is nil.
    fileprivate func player(
        of pattern: CHHapticPattern?
    ) throws -> (any CHHapticAdvancedPatternPlayer)? {
        try pattern.map { try makeAdvancedPlayer(with: $0) }
    }
}

extension HapticError {
    /// True if the error means that a sound cannot be played.
    var isOfSound: Bool { code == .resourceNotAvailable || code == .invalidAudioResource }
}
