// AuditionPlayer: plays edits through an engine on the board.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import PatternFormats
import SerialPorts
import ToolSupport

/// Plays the edits of an editor on a board.
final class AuditionPlayer {
    private let device: HapticDevice
    private let output: OutputOptions
    private let engine: HapticEngine
    private let port: String?
    private var playback: PatternPlayback?
    /// The newest pattern, and the id that the editor has assigned to the pattern.
    private var last: (id: String, pattern: HapticPattern)?

    /// The reason why the board cannot play or has interrupted playback; nil if there is no reason
    /// or it has been reported.
    private let failure = LockedValue<HapticError?>(nil)

    /// Creates a player of edits.
    ///
    /// - Parameter output: the options for printing remarks about actuators that do not play.
    init(
        device: HapticDevice, locality: HapticLocality, port: String?,
        _ output: OutputOptions
    ) {
        (self.device, self.output) = (device, output)
        engine = HapticEngine(device: device, locality: locality)
        engine.playsHapticsOnly = true
        self.port = port ?? device.servedPort?()
        engine.stoppedHandler = { [failure, weak engine] _ in
            failure.withLock { $0 = engine?.failure ?? .unknownEnd }
        }
        engine.faultsHandler = { [failure] error in failure.withLock { $0 = error } }
    }

    /// Returns and clears the reason why the board can no longer play; nil if the board can play.
    func removeFailure() -> ToolError? {
        failure.exchange(nil).map { ToolError($0, at: port) }
    }

    /// The playback of an edit: the length of the pattern, and the offset in the pattern at which
    /// the playback begins.
    struct PlayedEdit {
        let length: Microseconds
        let start: Microseconds
    }

    /// Connects to the board, unless it is already connected. Throws `ToolError`.
    func start() throws(ToolError) {
        guard !engine.isRunning else { return }
        playback = nil
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(start: error, of: engine, on: device)
        } catch {
            throw ToolError(error, port: port)
        }
        output.remarkIdleActuators(of: engine, at: engine.port ?? port ?? device.name)
    }

    /// Brings the board to rest and releases the board. Returns when the board has confirmed that
    /// it is at rest.
    func rest() {
        engine.stopAndWait()
        (playback, last) = (nil, nil)
    }

    /// Stops the current playback.
    func silence() {
        playback?.cancel()
        playback = nil
    }

    /// Replaces the current playback with the playback of an edit, which starts just before the
    /// change.
    ///
    /// - Returns: the playback; nil if the pattern is only the base for a comparison.
    /// - Throws: `FormatError` for an invalid file, `ToolError` if the board cannot play.
    func play(_ edit: EditedPattern) throws -> PlayedEdit? {
        let pattern = try PatternFormats.read(edit.bytes).pattern
        let before = last?.id == edit.id ? last?.pattern : nil
        last = (edit.id, pattern)
        guard edit.isPlayed else { return nil }
        let start = pattern.start(
            beforeChangeAt: before.flatMap { pattern.firstChange(since: $0) } ?? 0)
        try play(pattern, from: start)
        return PlayedEdit(length: pattern.length, start: start)
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
    /// The maximum size of a pattern, in bytes.
    static let bytesMax = FormatLimits.bytes

    /// The pattern that is played when an editor tests the device: `success`.
    static var test: EditedPattern {
        EditedPattern(
            name: "test",
            bytes: NamedPattern.feedback(.success).file)
    }
}
