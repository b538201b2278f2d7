// PlaySound: what is heard of patterns, whatever they are felt on.

import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import HapticPatterns
import SerialPorts

/// Plays the sounds of patterns in this process, by an engine without a board, at the times at which
/// boards play them.
final class PlaySound {
    private let engine = HapticEngine(device: .preview)
    private let output: OutputOptions
    /// The player of each pattern; nil for one without sound.
    private let players: [(any CHHapticAdvancedPatternPlayer)?]
    private let isOver = LockedValue(false)
    private var hasRemarked = false

    /// The longest sleep while a sound is heard to its end, in microseconds.
    private static let nap: useconds_t = 10_000

    /// Reads the sounds of patterns, and opens the sound device. Returns nil if nothing is to be heard.
    ///
    /// Throws `ToolError` for a sound that cannot be read.
    init?(_ patterns: [PatternFile], _ options: SoundOptions, _ output: OutputOptions) throws {
        guard !options.isOff, patterns.contains(where: \.hasSound) else { return nil }
        HapticSound.install()
        self.output = output
        engine.audioDelay = options.delay
        engine.isMutedForHaptics = true
        players = try patterns.map { [engine] in try $0.player(on: engine) }
        try engine.start() as Void
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
        guard let player = players[index] else { return isOver.withLock { $0 = true } }
        isOver.withLock { $0 = false }
        player.completionHandler = { [isOver] _ in isOver.withLock { $0 = true } }
        try player.start(atTime: TimeInterval(time.microseconds) / 1_000_000)
    }

    /// Waits until the sounds that were started are over, or a signal requests the end.
    func finish() {
        defer { remarkFailure() }
        Interruption.deferred {
            while !Interruption.isRequested, engine.soundFailure == nil,
                !isOver.withLock({ $0 })
            {
                usleep(Self.nap)
            }
        }
        if Interruption.isRequested { stop() }
    }

    /// Ends what is heard.
    func stop() {
        for player in players { try? player?.cancel() }
        isOver.withLock { $0 = true }
    }

    /// Says once why nothing is heard.
    private func remarkFailure() {
        guard !hasRemarked, let failure = engine.soundFailure else { return }
        hasRemarked = true
        output.remark("the sound of the pattern is not heard: \(failure)")
    }
}

extension PatternFile {
    /// Whether there is anything to be heard.
    var hasSound: Bool { audioEvents > 0 }

    /// The number of audio events of the pattern, or of its tone.
    fileprivate var audioEvents: Int {
        (tone?.value ?? pattern)?.events.count { !$0.type.isHaptic } ?? 0
    }

    /// The tone of a named pattern; nil if it has none.
    private var tone: CHHapticPattern? {
        soundBase == nil ? SystemFeedback(rawValue: name)?.tone : nil
    }

    /// Whether this is a pattern of the tool, and no file.
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
            throw ToolError(
                error.code == .resourceNotAvailable ? .noInput : .badData, error.message,
                advice: "--no-sound plays what is felt alone")
        }
    }
}
