// AuditionPlayer: plays what is edited, through an engine on the board.

import BridgeLink
import Foundation
import HapticBridge
import HapticFormats
import HapticPatterns
import PatternFormats
import SerialPorts

/// The board on which edits are felt.
final class AuditionPlayer {
    private let engine: HapticEngine
    private let port: String?
    private var playback: PatternPlayback?
    /// The newest pattern, with the editor's id of it.
    private var last: (id: String, pattern: HapticPattern)?

    /// True if the engine has stopped by itself since that was reported last.
    private let hasStopped = LockedValue(false)

    init(device: HapticDevice, locality: HapticLocality, port: String?) {
        engine = HapticEngine(device: device, locality: locality)
        self.port = port ?? device.servedPort?()
        engine.stoppedHandler = { [hasStopped] _ in hasStopped.withLock { $0 = true } }
    }

    /// Returns the reason why the board can no longer play, once; nil if there is none.
    func takeFailure() -> ToolError? {
        hasStopped.exchange(false) ? ToolError(ended: engine, at: port) : nil
    }

    /// An edit that is felt.
    struct Pass {
        let length: Microseconds
        let start: Microseconds
    }

    /// Connects to the board, if that has not been done. Throws `ToolError`.
    func start() throws(ToolError) {
        guard !engine.isRunning else { return }
        playback = nil
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
        (playback, last) = (nil, nil)
    }

    /// Stops what plays.
    func silence() {
        playback?.cancel()
        playback = nil
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
        try self.start()
        do {
            playback = try PatternPlayback(
                pattern, on: engine,
                PatternPlayback.Options(0..<max(pattern.playedLength, start), from: start),
                replacing: playback)
        } catch {
            throw ToolError(error, at: port)
        }
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
