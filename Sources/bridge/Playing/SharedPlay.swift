// SharedPlay: plays on boards that are served to several programs.

import BoardSharing
import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts

/// Patterns that play beside what other programs play, through an engine for each board.
struct SharedPlay {
    let play: Play
    let ports: [String]
    /// The user's settings, overridden by the options.
    let settings: PlaySettings
    /// The clock by which the start was set; nil for a start that is none of the calendar.
    let wallClock: WallClock?
    /// The sound of the patterns; nil if there is nothing.
    let sound: PlaySound?

    /// The time from a start to the first event without `--at`, in microseconds, in which the board
    /// hears of it, and in which several boards do.
    private static let lead: Microseconds = 10_000
    private static let commonLead: Microseconds = 50_000
    /// The time between two looks at what has been requested meanwhile.
    private static let interval: Microseconds = 20_000

    /// A board and its engine.
    private struct Part {
        let board: HapticBoard
        let engine: HapticEngine
        let mask: ActuatorMask
        let rendering: BoardRendering
    }

    func run(_ patterns: [PatternFile]) throws {
        try check(patterns)
        var parts: [Part] = []
        defer {
            for part in parts {
                part.engine.stopAndWait()
                part.board.close()
            }
        }
        for port in ports { parts.append(try part(at: port)) }
        try Interruption.deferred {
            for (index, pattern) in patterns.enumerated() {
                guard try self.play(pattern, index, on: parts) else { return }
            }
        }
    }

    /// Refuses what an engine cannot do.
    private func check(_ patterns: [PatternFile]) throws(ToolError) {
        let reason =
            play.impossibleWithEngine
            ?? patterns.first(where: \.isCompiled).map { "a compiled file (\($0.name))" }
        guard let reason else { return }
        throw ToolError(
            .busy,
            "\(ports[0]): another program serves this board to several, which excludes \(reason)",
            advice:
                "end that program (`bridge serve`, `bridge studio`, or one that plays), and try again"
        )
    }

    /// Connects to a board. Another program serves it if the one that did has just ended.
    private func servedBoard(at port: String) throws -> HapticBoard {
        let present = try HapticBoard.served(at: port)
        let board =
            try present
            ?? (ServedBoard.begin(port: port) ? HapticBoard.served(at: port) : nil)
        guard let board else {
            throw ToolError(.busy, "\(port): the program that serves this board has ended")
        }
        return board
    }

    private func part(at port: String) throws -> Part {
        let board = try servedBoard(at: port)
        let mask = try play.mask(on: board)
        for actuator in mask.indices { try check(UInt8(actuator), of: board) }
        let engine = HapticEngine(device: .port(port), locality: play.locality ?? .default)
        engine.isMutedForHaptics = play.mute
        // The sound plays once, whatever the number of boards.
        engine.playsHapticsOnly = true
        do {
            try engine.start()
        } catch let error as HapticError {
            throw ToolError(error, at: port)
        }
        let rendering = try BoardRendering(
            of: board, mask, profile: nil, options: play.compiling.compiler,
            gain: settings.effectiveGain)
        return Part(board: board, engine: engine, mask: mask, rendering: rendering)
    }

    /// Refuses an actuator that cannot play.
    private func check(_ actuator: UInt8, of board: HapticBoard) throws {
        switch try board.waitUntilSettled(actuator).state {
        case .unconfigured: throw ToolError(unconfigured: actuator, at: board.path)
        case .fault: throw ToolError(undrivable: actuator, of: board, try board.status().faults)
        default: break
        }
    }

    /// Plays a pattern. Returns whether it was played to its end: a STOP ends those after it, too.
    private func play(_ pattern: PatternFile, _ index: Int, on parts: [Part]) throws -> Bool {
        let rendered = parts.map { $0.rendering.rendered(pattern) }
        for (part, pattern) in zip(parts, rendered) {
            PlayWarnings(output: play.output).remark(on: pattern, for: part.board, part.rendering)
        }
        settings.begin()
        let before = try parts.map { (try $0.board.status(), $0.engine.statistics.link) }
        let lead = parts.count == 1 ? Self.lead : Self.commonLead
        let start = play.at?.hostTime() ?? max(Link.now() + lead, sound?.earliestStart ?? 0)
        guard play.at == nil || start >= Link.now() else {
            throw ToolError(.usage, "--at: that time has passed")
        }
        try sound?.start(index, at: start)
        let players = try parts.map { try player(of: pattern, on: $0.engine, at: start) }
        let isWaitedFor = wait(for: players.map(\.end), rendered[0], from: start) {
            zip(parts, before).allSatisfy { part, before in
                part.engine.statistics.faults.subtracting(before.0.faults)
                    .isDisjoint(with: .ofDriver)
            }
        }
        // A STOP of another program ends players too.
        let played = Link.now() - start
        let isOver = isWaitedFor && played >= rendered[0].pattern!.length
        if !isOver { sound?.stop() }
        if !isWaitedFor { for part in parts { part.engine.stopAndWait() } }
        if let (part, failure) = zip(parts, players).lazy.compactMap({ part, player in
            player.end.failure.map { (part, $0) }
        }).first {
            throw explained(failure, on: part)
        }
        sound?.finish()
        var failure: ToolError?
        for (index, part) in parts.enumerated() {
            let error = try showResult(
                of: rendered[index], on: part, isAlone: parts.count == 1,
                stoppedAt: isOver ? nil : max(0, played), since: before[index])
            failure = failure ?? error
        }
        if let failure { throw failure }
        guard let status = Interruption.status else { return isOver }
        throw ToolError(status, try ending(of: parts))
    }

    /// Shows how a pattern was played on a board. Returns the error of a playback that the board has
    /// brought to rest; nil for any other one.
    private func showResult(
        of pattern: PatternFile, on part: Part, isAlone: Bool, stoppedAt: Int64?,
        since before: (status: Status, link: LinkStatistics)
    ) throws -> ToolError? {
        let status = try part.board.status()
        var progress = PlaybackProgress()
        progress.note(status, since: before.status)
        let link = part.engine.statistics.link
        let result = PlayResult(
            pattern: pattern, board: part.board.path, isAlone: isAlone, actuators: part.mask,
            playing: HapticBoard.PlaybackSummary(
                completion: stoppedAt == nil ? .played : .stopped, progress: progress),
            sounds: sound?.count(of: pattern) ?? 0, stoppedAt: stoppedAt, unfelt: settings.unfelt,
            partlyUnfelt: settings.partlyUnfelt, wallClock: wallClock,
            bytes: (
                link.bytesSent - before.link.bytesSent,
                link.bytesReceived - before.link.bytesReceived
            ))
        try play.output.result(result.json, text: result.text)
        if !progress.faults.isDisjoint(with: .ofDriver) {
            return try ToolError(endedBy: part.board)
        }
        return status.deadManTrips == before.status.deadManTrips
            ? nil : ToolError(deadManOf: part.board)
    }

    /// Returns the error of an engine, with the board's faults if they are its reason.
    private func explained(_ error: HapticError, on part: Part) -> ToolError {
        let faults = try? part.board.status().faults
        guard let faults, !faults.isDisjoint(with: .ofDriver),
            let explained = try? ToolError(endedBy: part.board)
        else { return ToolError(error, at: part.board.path) }
        return explained
    }

    /// Returns the description of the state in which the boards are left after a signal.
    private func ending(of parts: [Part]) throws -> String {
        let isAtRest = try parts.allSatisfy { part in
            try part.mask.indices.allSatisfy {
                try part.board.waitUntilSettled(UInt8($0)).state == .atRest
            }
        }
        return isAtRest
            ? "stopped; the actuator is at rest"
            : "stopped; nothing of this program plays any more"
    }

    // MARK: Players

    /// The end of a player, which its engine tells.
    private final class End: @unchecked Sendable {
        // Written once, before the signal, and read after it.
        private(set) var failure: HapticError?
        let isTold = hostClock.makeSemaphore()

        func tell(_ error: (any Error)?) {
            failure = error as? HapticError
            isTold.signal()
        }
    }

    private func player(
        of pattern: PatternFile, on engine: HapticEngine, at start: HostTime
    ) throws -> (player: any CHHapticAdvancedPatternPlayer, end: End) {
        let player = try engine.makeFilePlayer(with: CHHapticPattern(pattern.source!))
        let end = End()
        player.completionHandler = { end.tell($0) }
        try player.weaken(to: settings.share(of: play.gain))
        try player.start(atTime: TimeInterval(start.microseconds) / 1_000_000)
        return (player, end)
    }

    /// Waits until all players are over, and shows the pattern and what changes meanwhile. The
    /// process that serves the board applies the user's settings itself.
    ///
    /// - Parameter isSound: called repeatedly; returns false once an actuator fails.
    /// - Returns: false once a signal requests the end or an actuator fails.
    private func wait(
        for ends: [End], _ pattern: PatternFile, from start: HostTime, while isSound: () -> Bool
    ) -> Bool {
        var display = PlayDisplay(pattern, on: nil, isQuiet: play.output.quiet)
        defer { display.clear() }
        for end in ends {
            while !end.isTold.wait(until: Link.now() + Self.interval) {
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

extension HapticPatternPlayer {
    /// Has everything that plays from now on felt at a share of its intensity, 0...1.
    func weaken(to share: Double) throws {
        guard share < 1 else { return }
        let parameter = CHHapticDynamicParameter(
            parameterID: .hapticIntensityControl, value: Float(share), relativeTime: 0)
        try sendParameters([parameter], atTime: CHHapticTimeImmediate)
    }
}

extension HapticEngine {
    /// Stops everything and returns when the actuators are at rest.
    func stopAndWait() {
        let isAtRest = hostClock.makeSemaphore()
        stop { _ in isAtRest.signal() }
        isAtRest.wait()
    }
}

extension Play {
    /// The option that an engine cannot heed, with what to use instead; nil if there is none.
    var impossibleWithEngine: String? {
        if actuator != nil { return "--actuator; use --locality" }
        if monitor { return "--monitor; use `bridge monitor`" }
        return compiling.profile.map { $0 != RenderingTarget.board } ?? false ? "--profile" : nil
    }
}
