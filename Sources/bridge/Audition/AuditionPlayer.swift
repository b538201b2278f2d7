// AuditionPlayer: plays what is edited, through an engine on the board.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import PatternFormats
import SerialPorts

/// The board on which edits are felt.
final class AuditionPlayer {
    private let engine: HapticEngine
    private let port: String?
    private var player: (any CHHapticAdvancedPatternPlayer)?
    /// The newest pattern, with the editor's id of it.
    private var last: (id: String, pattern: HapticPattern)?
    /// The time at which a pattern without an end is stopped.
    private var limit = HostTime.never

    /// The longest time for which a pattern without an end is held, in microseconds, as for other
    /// patterns that nobody may be there to stop.
    private static let endlessMax: Microseconds = 30_000_000

    init(device: HapticDevice, locality: HapticLocality, port: String?) {
        engine = HapticEngine(device: device, locality: locality)
        self.port = port ?? device.servedPort?()
    }

    /// An edit that is felt.
    struct Pass {
        let length: Microseconds
        let start: Microseconds
    }

    /// Connects to the board, if that has not been done. Throws `ToolError`.
    func start() throws(ToolError) {
        guard !engine.isRunning else { return }
        player = nil
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(error, at: port)
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Brings the board to rest, and lets go of it. Returns when that is confirmed.
    func rest() {
        engine.stopAndWait()
        (player, last) = (nil, nil)
    }

    /// Stops what plays.
    func silence() {
        try? player?.cancel()
        player = nil
        limit = .never
    }

    /// Stops a pattern without an end when it has played for long enough.
    func attend() {
        if Link.now() >= limit { silence() }
    }

    /// Plays an edit in place of what plays, from just before what has changed.
    ///
    /// - Returns: what is felt; nil if the pattern is only to be compared with.
    /// - Throws: `FormatError` for a file that is refused, `ToolError` if the board cannot play.
    func take(_ edit: EditedPattern) throws -> Pass? {
        let pattern = try PatternFormats.read(edit.bytes).pattern
        let before = last?.id == edit.id ? last?.pattern : nil
        last = (edit.id, pattern)
        guard edit.isPlayed else { return nil }
        let start = pattern.start(
            beforeChangeAt: before.flatMap { pattern.firstChange(since: $0) } ?? 0)
        try play(pattern, from: start)
        return Pass(length: pattern.length, start: start)
    }

    private func play(_ pattern: HapticPattern, from start: Microseconds) throws {
        let document = AHAPDocument(of: pattern)
        do {
            let reading = try AHAPReader.read(document)
            try self.start()
            let next = try engine.makeAdvancedPlayer(with: CHHapticPattern(reading))
            try? player?.cancel()
            player = next
            try next.start(atTime: CHHapticTimeImmediate)
            if start > 0 { try next.seek(toOffset: TimeInterval(start) / 1_000_000) }
        } catch let error as HapticError {
            throw ToolError(error, at: port)
        }
        limit = pattern.isEndless ? Link.now() + Self.endlessMax : .never
    }
}

extension EditedPattern {
    /// The greatest size of a pattern, in bytes.
    static let bytesMax = FormatLimits.bytes

    /// The pattern for an editor that asks whether the device works: `success`.
    static var test: EditedPattern {
        EditedPattern(
            name: "test",
            bytes: AHAPFormat().write(SystemFeedback.success.pattern.value, law: .linear))
    }
}
