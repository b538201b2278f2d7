// EnginePlay: plays AHAP patterns through engines on all kinds of boards.

import BoardEngine
import BoardSharing
import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts
import ToolSupport

/// Plays patterns in order through one engine for each board. The boards also play the patterns of
/// other programs.
struct EnginePlay {
    let play: Play
    let devices: [HapticDevice]
    /// The meter of the virtual board's drive; nil for other boards.
    let meter: DriveMeter?
    /// The user's settings, combined with the options.
    let settings: PlaySettings
    /// The state of the clock for a calendar start time; nil for other starts.
    let wallClock: WallClock?
    /// The sounds of the patterns; nil if no sound is played.
    let sound: PlaySound?
    /// The voice coils that play at the same time; nil if there are none.
    let coils: PlayCoils?

    /// The time between the command and the start of playback without `--at`, in microseconds.
    /// During this time, the board receives the start.
    private static let lead: Microseconds = 10_000
    /// The value that replaces ``lead`` if several boards play, in microseconds.
    private static let commonLead: Microseconds = 50_000
    /// The interval between two checks of signals and settings, in microseconds.
    private static let interval: Microseconds = 20_000
    /// The maximum time, in microseconds, until a board reports its counters after a pattern, or
    /// until the engine of a board with a fault stops.
    private static let reportTime: Microseconds = 500_000

    /// A board and its engine.
    private struct Part {
        let engine: HapticEngine
        let board: StartedBoard
        let port: String
        let mask: ActuatorMask
        let rendering: BoardRendering
        /// True if another program serves the board, so that other programs may also play on it.
        let isShared: Bool

        /// Returns the faults of drivers and actuators that have appeared since earlier statistics.
        func newFaults(since before: HapticEngine.Statistics) -> Faults {
            engine.statistics.faults.subtracting(before.faults).intersection(.ofDriver)
        }

        /// Returns true if the dead-man timer of the board has expired since earlier statistics.
        func hasTripped(since before: HapticEngine.Statistics) -> Bool {
            engine.statistics.status.map { $0.deadManTrips != before.status?.deadManTrips } ?? false
        }
    }

    func run(_ patterns: [PatternFile]) throws {
        let requested = play.at?.hostTime()
        var parts: [Part] = []
        defer {
            coils?.close()
            for part in parts { part.engine.stopAndWait() }
        }
        try Interruption.deferred {
            for device in devices { parts.append(try part(on: device)) }
            for (index, pattern) in patterns.enumerated() {
                guard try self.play(pattern, index, on: parts, at: requested) else { return }
            }
        }
    }

    private func part(on device: HapticDevice) throws -> Part {
        let engine = HapticEngine(device: device, locality: play.chosenLocality)
        engine.isMutedForHaptics = play.mute
        // The sound plays only once, even if several boards play.
        engine.playsHapticsOnly = true
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(start: error, of: engine, on: device)
        }
        let port = engine.port ?? device.name
        guard let board = engine.board else { throw ToolError(ended: engine, at: port) }
        let mask = try play.mask(of: board.actuators, at: port)
        play.output.remarkIdleActuators(of: engine, at: port)
        let rendering = BoardRendering(
            of: board, options: play.compiling.compiler, gain: settings.effectiveGain)
        return Part(
            engine: engine, board: board, port: port, mask: mask, rendering: rendering,
            isShared: engine.isServedByAnotherProgram == true)
    }

    /// Plays a pattern. Returns true if the pattern was played to its end, so that the next pattern
    /// can play. After a STOP, no further pattern plays.
    ///
    /// - Parameter requested: the host time of the start; nil for the earliest possible time.
    private func play(
        _ pattern: PatternFile, _ index: Int, on parts: [Part], at requested: HostTime?
    ) throws -> Bool {
        let rendered = parts.map { $0.rendering.rendered(pattern) }
        for (part, pattern) in zip(parts, rendered) {
            PlayWarnings(output: play.output).remark(
                on: pattern, at: part.port, part.board.welcome, part.rendering)
        }
        settings.begin()
        let before = parts.map { statistics(of: $0, after: 0) }
        let lead = parts.count == 1 ? Self.lead : Self.commonLead
        let earliest = max(
            Link.now() + lead, sound?.earliestStart ?? 0, coils?.earliestStart ?? 0)
        let start = requested ?? earliest
        guard start >= earliest else {
            throw ToolError.startIsTooEarly
        }
        try sound?.start(index, at: start)
        try coils?.start(pattern, at: start)
        let ends = parts.map { _ in End() }
        let playbacks = try zip(parts, ends).map { part, end in
            try playback(of: pattern, on: part, at: start, end)
        }
        defer { withExtendedLifetime(playbacks) {} }
        let isWaitedFor = wait(for: ends, rendered[0], from: start) {
            zip(parts, before).allSatisfy { part, before in
                part.newFaults(since: before).isEmpty && !part.hasTripped(since: before)
            }
        }
        // A STOP from another program also ends players.
        let played = Link.now() - start
        let isOver = isWaitedFor && played >= rendered[0].pattern!.length
        if !isOver {
            coils?.stop()
            sound?.stop()
        }
        let counts = parts.map(\.engine.statistics.statusCount)
        try checkFaults(of: parts, ends, since: before)
        if !isWaitedFor { for part in parts { part.engine.stopAndWait() } }
        sound?.finish()
        finishCoils()
        for (index, part) in parts.enumerated() {
            try showResult(
                of: rendered[index], on: part, isAlone: parts.count == 1,
                stoppedAt: isOver ? nil : max(0, played), since: before[index],
                statistics(of: part, after: counts[index]))
        }
        guard let status = Interruption.status else { return isOver }
        throw ToolError(status, ending(of: parts))
    }

    /// Waits for the end of the pattern on the voice coils, and prints any problems of the coils.
    private func finishCoils() {
        guard let coils else { return }
        coils.finish()
        coils.remarkLimit(play.output)
        if let failure = coils.failure { play.output.remark(failure.message) }
    }

    private func playback(
        of pattern: PatternFile, on part: Part, at start: HostTime, _ end: End
    ) throws -> PatternPlayback {
        let source = pattern.source!.pattern
        var options = PatternPlayback.Options(0..<max(source.playedLength, 1))
        options.gain = settings.engineGain(for: play.gain)
        do {
            return try PatternPlayback(source, on: part.engine, options, at: start) { end.set($0) }
        } catch {
            throw ToolError(error, at: part.port)
        }
    }

    // MARK: Results

    /// Returns the statistics of an engine after the board has reported its counters again.
    private func statistics(of part: Part, after count: Int) -> HapticEngine.Statistics {
        let deadline = Link.now() + Self.reportTime
        while part.engine.statistics.statusCount <= count, part.engine.isRunning,
            Link.now() < deadline
        {
            hostClock.sleep(for: 1_000)
        }
        return part.engine.statistics
    }

    /// Throws an error if a board can no longer play, because its engine has stopped or the board
    /// has reported new faults.
    private func checkFaults(
        of parts: [Part], _ ends: [End], since before: [HapticEngine.Statistics]
    ) throws {
        for (index, part) in parts.enumerated() {
            let faults = part.newFaults(since: before[index])
            if !faults.isEmpty { ends[index].wait(until: Link.now() + Self.reportTime) }
            if let failure = ends[index].failure { throw ToolError(failure, at: part.port) }
            guard !faults.isEmpty else { continue }
            for part in parts { part.engine.stopAndWait() }
            throw ToolError(
                HapticError(faults, of: nil, .playback, on: part.board.welcome),
                at: part.port)
        }
    }

    /// Prints the result of a pattern on a board. Throws an error if the dead-man timer of the
    /// board has tripped.
    private func showResult(
        of pattern: PatternFile, on part: Part, isAlone: Bool, stoppedAt: Int64?,
        since before: HapticEngine.Statistics, _ after: HapticEngine.Statistics
    ) throws {
        var progress = PlaybackProgress()
        if let first = before.status, let last = after.status {
            progress.record(last, since: first)
        }
        progress.timing = after.timing
        let result = PlayResult(
            pattern: pattern, board: part.port, isAlone: isAlone, actuators: part.mask,
            playing: HapticBoard.PlaybackSummary(
                completion: stoppedAt == nil ? .played : .stopped, progress: progress),
            isOutputLimited: coils?.wasLimited, sounds: sound?.count(of: pattern) ?? 0,
            stoppedAt: stoppedAt, unfelt: settings.unfelt,
            partlyUnfelt: settings.partlyUnfelt, wallClock: wallClock,
            bytes: (
                after.link.bytesSent - before.link.bytesSent,
                after.link.bytesReceived - before.link.bytesReceived
            ))
        try play.output.result(result.json, text: result.text)
        guard part.hasTripped(since: before) else { return }
        throw ToolError(deadManAt: part.port, on: part.board.welcome.kind)
    }

    /// Returns a description of the state of the boards after a signal.
    private func ending(of parts: [Part]) -> String {
        let isAtRest = zip(parts, devices).allSatisfy { part, device in
            guard part.isShared else { return true }
            return device.actuators().filter { part.mask.indices.contains($0.actuator) }
                .allSatisfy { $0.state == .atRest }
        }
        return isAtRest
            ? "stopped; the actuator is at rest"
            : "stopped; all players of this program have ended"
    }

    // MARK: Waiting

    /// Waits for the end of a playback as reported by its engine.
    private final class End: @unchecked Sendable {
        // This property is written once, before the signal, and is read only after the signal.
        private(set) var failure: HapticError?
        private let isSignalled = hostClock.makeSemaphore()
        private let isSet = LockedValue(false)

        func set(_ error: (any Error)?) {
            failure = error.map { HapticError(connecting: $0) }
            isSet.withLock { $0 = true }
            isSignalled.signal()
        }

        /// Waits for the end of the playback, but not longer than until a deadline. Returns false
        /// if the playback has not ended before the deadline.
        @discardableResult
        func wait(until time: HostTime) -> Bool {
            isSet.withLock(\.self) || isSignalled.wait(until: time)
        }
    }

    /// Waits until all playbacks have ended, updates the display, and reports changes to the
    /// settings. The settings are applied by the engine, not by this method.
    ///
    /// - Parameter isSound: a closure that is called repeatedly and returns false after an actuator
    ///   has failed.
    /// - Returns: false if a signal requests the end or an actuator fails.
    private func wait(
        for ends: [End], _ pattern: PatternFile, from start: HostTime, while isSound: () -> Bool
    ) -> Bool {
        var display = PlayDisplay(pattern, meter: meter, isQuiet: play.output.quiet)
        defer { display.clear() }
        for end in ends {
            while !end.wait(until: Link.now() + (coils == nil ? Self.interval : PlayCoils.nap)) {
                coils?.follow()
                if Interruption.isRequested || !isSound() { return false }
                settings.follow(on: []) {
                    display.clear()
                    play.output.remark($0)
                }
                display.update(elapsed: min(max(0, Link.now() - start), pattern.renderedDuration))
            }
        }
        return true
    }
}

extension ToolError {
    /// Creates an error for an engine that cannot be started. The actuators of a served board are
    /// queried, because the error from the serving program does not contain them.
    init(start error: HapticError, of engine: HapticEngine, on device: HapticDevice) {
        let port = engine.port ?? device.servedPort?() ?? device.name
        guard engine.port != nil else {
            self.init(connecting: error, at: port)
            return
        }
        self.init(error, at: port)
        guard error.code == .notSupported, error.faults.isEmpty else { return }
        let actuators = device.actuators()
        do {
            let mask = try engine.locality.mask(of: actuators)
            let idle = actuators.first {
                mask.indices.contains($0.actuator) && $0.state == .unconfigured
            }
            if let idle { self.init(unconfigured: idle.actuator, at: port) }
        } catch {
            self.init(error, at: port, actuators)
        }
    }
}
