// WatchedPlay: plays a file again whenever an editor saves it.

import AHAP
import BridgeLink
import Foundation
import HapticBridge
import HapticBridgeSound
import HapticPatterns
import SerialPorts
import ToolSupport

/// Plays a file after each save, on a board that other programs may also use.
final class WatchedPlay {
    private let play: Play
    private let settings: PlaySettings
    private let output: OutputOptions
    private let device: HapticDevice
    private let engine: HapticEngine
    private var port: String
    private let eventSignal: EventSignal
    private var playback: PatternPlayback?
    /// The last version of the file that was played; nil if no version has been played.
    private var last: AHAPReader.Result?
    private var remarks: PatternRemarks?
    /// The host time of the last save that was played.
    private var savedAt: HostTime = 0

    /// The interval between two checks of signals and loops, in microseconds.
    private static let interval: Microseconds = 20_000
    /// The minimum length of a loop, in microseconds, so that repeated taps remain distinct.
    private static let shortest: Microseconds = 500_000
    /// The time, in microseconds, within which a second save of the unchanged file is considered
    /// part of the first save.
    private static let sameSave: Microseconds = 1_000_000

    /// Creates a playback on the selected board. Throws `ToolError` if several ports are named.
    init(_ play: Play, settings: PlaySettings) throws {
        (self.play, self.settings, output) = (play, settings, play.output)
        let device = try play.board.device()
        self.device = device
        engine = HapticEngine(device: device, locality: play.chosenLocality)
        engine.isMutedForHaptics = play.mute
        engine.playsHapticsOnly = play.sound.isOff
        engine.audioDelay = play.sound.delay
        if !play.sound.isOff { HapticSound.install() }
        port = device.servedPort?() ?? device.name
        eventSignal = try EventSignal()
    }

    /// Plays until a signal arrives or the board is lost.
    func run(_ path: String) throws {
        let file = try WatchedFile(path, play.reading)
        let loss = LockedValue<HapticEngine.StoppedReason?>(nil)
        let wasReset = LockedValue(false)
        engine.resetHandler = { [eventSignal] in
            wasReset.withLock { $0 = true }
            eventSignal.signal()
        }
        let faults = LockedValue<HapticError?>(nil)
        engine.faultsHandler = { [eventSignal] error in
            faults.withLock { $0 = error }
            eventSignal.signal()
        }
        engine.stoppedHandler = { [eventSignal] reason in
            loss.withLock { $0 = reason }
            eventSignal.signal()
        }
        try Interruption.deferred {
            defer { engine.stopAndWait() }
            try start()
            if let save = file.read() { try handle(save, of: file) }
            while !Interruption.isRequested {
                if loss.withLock({ $0 == .systemError }) {
                    throw ToolError(ended: engine, at: port)
                }
                if wasReset.exchange(false) { try boardWasReset(file) }
                if let error = faults.exchange(nil) { output.remark(ToolError(error, at: port)) }
                if let save = file.nextSave(within: Self.interval, orFor: eventSignal) {
                    try handle(save, of: file)
                }
                advance()
                remarks?.report()
            }
        }
        if let status = Interruption.status {
            throw ToolError(status, "stopped; the actuator is at rest")
        }
    }

    private func start() throws {
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(start: error, of: engine, on: device)
        }
        port = engine.port ?? port
        guard let board = engine.board else { return }
        output.remarkIdleActuators(of: engine, at: port)
        remarks = PatternRemarks(play, settings, board, at: port, eventSignal)
    }

    /// Starts the engine again after a reset of the board, and repeats a looped pattern.
    private func boardWasReset(_ file: WatchedFile) throws {
        output.remark(ToolError(HapticError.boardWasReset, at: port))
        playback = nil
        try start()
        guard play.watching.loop, var last else { return }
        try begin(&last, of: file, from: play.watching.start ?? 0)
    }

    private func handle(_ save: WatchedFile.Save, of file: WatchedFile) throws {
        switch save {
        case .refused(let error):
            Terminal.standardError.write(error.text + "\n")
            if output.json { try show(SaveResult(file: file.path, board: port, refusal: error)) }
        case .read(let read, let change):
            let now = Link.now()
            guard change != nil || playback == nil || !isSameSave(at: now) else { return }
            let start = start(of: read.pattern, changedAt: change)
            savedAt = now
            var read = read
            do {
                try begin(&read, of: file, from: start)
            } catch let error as ToolError where error.diagnostic != nil {
                return try handle(.refused(error), of: file)
            }
            last = read
            try show(
                SaveResult(
                    file: file.path, board: port, changedAt: change, start: start,
                    length: read.pattern.playedLength, repairs: read.diagnostics.count,
                    unfelt: settings.present))
            if let from = play.watching.start, from >= read.pattern.playedLength {
                output.remark(
                    "--from is beyond the end of \(file.path) at "
                        + "\(read.pattern.playedLength.secondsText): nothing is played")
            }
            remarks?.examine(read, of: file.path)
        }
    }

    /// Returns true if a save of the unchanged file is part of the previous save, or if the pattern
    /// of that save is still playing.
    private func isSameSave(at now: HostTime) -> Bool {
        now - savedAt < Self.sameSave || playback?.isOver(at: now) == false
    }

    /// Returns the position from which playback starts after a save: the requested position, or a
    /// position just before the change.
    private func start(of pattern: HapticPattern, changedAt change: Microseconds?) -> Microseconds {
        if let start = play.watching.start { return start }
        guard let change else { return playback?.start ?? 0 }
        return pattern.start(beforeChangeAt: change)
    }

    /// Ends the previous playback, and plays from a position. Prints a warning for each sound that
    /// cannot be played, and removes these sounds. Throws `ToolError`; in strict mode, also throws
    /// a `ToolError` with a diagnostic for a sound that cannot be played.
    private func begin(
        _ read: inout AHAPReader.Result, of file: WatchedFile, from start: Microseconds
    ) throws {
        do {
            try startPlayback(read, of: file, from: start)
        } catch let error as HapticError where error.isOfSound {
            read = try read.omittingUnplayableSounds(
                named: file.path, in: URL(fileURLWithPath: file.path), play.reading, output)
            do {
                try startPlayback(read, of: file, from: start)
            } catch {
                throw ToolError(error, port: port)
            }
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Ends the previous playback, and plays from a position.
    private func startPlayback(
        _ read: AHAPReader.Result, of file: WatchedFile, from start: Microseconds
    ) throws {
        let first = play.watching.loop ? play.watching.start ?? 0 : start
        let end = max(read.pattern.playedLength, first + Self.shortest)
        var options = PatternPlayback.Options(first..<end, from: start)
        options.isLooped = play.watching.loop
        options.gain = settings.engineGain(for: play.gain)
        func begin() throws {
            playback = try PatternPlayback(
                read.pattern, in: URL(fileURLWithPath: file.path), on: engine, options,
                replacing: playback)
        }
        do {
            try begin()
        } catch let error as HapticError
            where [.engineNotRunning, .invalidPatternPlayer].contains(error.code)
        {
            // The board was reset, so the previous playback has ended.
            playback = nil
            try engine.start()
            try begin()
        }
    }

    /// Advances the loop, unless the board was reset.
    private func advance() {
        do {
            try playback?.advance(at: Link.now())
        } catch {
            playback = nil
            output.remark("\(port): \(error); the next save plays again")
        }
    }

    private func show(_ result: SaveResult) throws {
        try output.result(result.json, text: result.text)
    }
}
