// PlaySound: what is heard of patterns, whatever they are felt on.

import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import HapticCompiler
import HapticPatterns
import SerialPorts

/// Plays the sounds of patterns in this process, by an engine without a board, at the times at which
/// boards play them.
final class PlaySound {
    private let engine = HapticEngine(device: .preview)
    private let output: OutputOptions
    /// The players of each pattern: of its sounds, and of its preview.
    private let players: [[any CHHapticAdvancedPatternPlayer]]
    /// The number of players of the present pattern that are not over.
    private var playing = LockedValue(0)
    /// True if a pattern has sounds of its own, so that it matters if they are not heard.
    private let hasSounds: Bool
    private var hasRemarked = false

    /// The longest sleep while a sound is heard to its end, in microseconds.
    private static let nap: Microseconds = 10_000

    /// Reads the sounds of patterns, and opens the sound device. Returns nil if nothing is to be heard.
    ///
    /// Throws `ToolError` for a sound that cannot be read.
    ///
    /// - Parameter isPreview: whether what would be felt is heard too.
    init?(
        _ patterns: [PatternFile], isPreview: Bool, _ options: SoundOptions, _ output: OutputOptions
    ) throws {
        hasSounds = patterns.contains(where: \.hasSound)
        guard !options.isOff, hasSounds || isPreview else { return nil }
        HapticSound.install()
        self.output = output
        engine.audioDelay = options.delay
        engine.isMutedForHaptics = true
        players = try patterns.map { [engine] pattern in
            let preview = isPreview ? try pattern.previewPlayer(on: engine) : nil
            return [try pattern.player(on: engine), preview].compactMap(\.self)
        }
        try engine.start()
    }

    /// The earliest time at which a pattern can start with its sound in step.
    var earliestStart: HostTime {
        HostTime(microseconds: Int64((engine.earliestSound * 1_000_000).rounded(.up)))
    }

    /// Returns the number of sounds that are heard of a pattern: none if there is no sound device.
    func count(of pattern: PatternFile) -> Int {
        engine.soundFailure == nil ? pattern.audioEvents : 0
    }

    /// Has the sounds of a pattern begin at a time, unless it has none.
    func start(_ index: Int, at time: HostTime) throws {
        let playing = LockedValue(players[index].count)
        self.playing = playing
        for player in players[index] {
            player.completionHandler = { _ in playing.withLock { $0 -= 1 } }
            try player.start(atTime: TimeInterval(time.microseconds) / 1_000_000)
        }
    }

    /// Waits until the sounds that were started are over, or a signal requests the end.
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

    /// Ends what is heard.
    func stop() {
        for player in players.joined() { try? player.cancel() }
        playing.withLock { $0 = 0 }
    }

    /// Says once why nothing is heard.
    private func remarkFailure() {
        guard hasSounds, !hasRemarked, let failure = engine.soundFailure else { return }
        hasRemarked = true
        output.remark("the sound of the pattern is not heard: \(failure)")
    }
}

extension PatternFile {
    /// True if there is anything to be heard.
    var hasSound: Bool { audioEvents > 0 }

    /// The number of audio events of the pattern, or of its tone.
    fileprivate var audioEvents: Int {
        (tone?.value ?? pattern)?.events.count { !$0.type.isHaptic } ?? 0
    }

    /// The tone of a named pattern; nil if it has none.
    private var tone: CHHapticPattern? {
        soundBase == nil ? SystemFeedback(rawValue: name)?.tone : nil
    }

    /// True if this is a pattern of the tool, and no file.
    var isNamed: Bool { soundBase == nil && NamedPattern(name) != nil }

    /// The file, beside which sounds are; nil for a pattern that is none.
    var soundBase: URL? {
        FileManager.default.fileExists(atPath: name) ? URL(fileURLWithPath: name) : nil
    }

    /// Returns a player of what is heard of the pattern; nil if there is nothing.
    fileprivate func player(
        on engine: HapticEngine
    ) throws -> (any CHHapticAdvancedPatternPlayer)? {
        guard hasSound, let source else { return nil }
        do {
            return try engine.makeAdvancedPlayer(
                with: tone ?? CHHapticPattern(source, file: soundBase))
        } catch let error as HapticError {
            throw ToolError(sound: error)
        }
    }

    /// Returns a player of what would be felt: the stronger, the louder, and the sharper, the higher.
    /// Returns nil for a pattern that is too long for it.
    fileprivate func previewPlayer(
        on engine: HapticEngine
    ) throws -> (any CHHapticAdvancedPatternPlayer)? {
        guard let traces = try? PatternTraces(asDesigned, on: [], options: CompilerOptions()) else {
            return nil
        }
        let file = FileManager.default.temporaryDirectory
            .appending(path: "bridge-preview-\(UUID().uuidString).wav")
        try Data(traces.sound.bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let event = CHHapticEvent(
            audioResourceID: try engine.registerAudioResource(file), parameters: [], relativeTime: 0
        )
        return try engine.makeAdvancedPlayer(with: CHHapticPattern(events: [event], parameters: []))
    }
}

extension ToolError {
    /// Makes the error of a sound that cannot be read.
    init(sound error: HapticError) {
        self.init(
            error.code == .resourceNotAvailable ? .noInput : .badData, error.message,
            advice: "--no-sound plays what is felt alone")
    }
}
