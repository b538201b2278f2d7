// Tests that every user interface reports a fault during playback with the same words and the same
// remedy.

import Foundation
import SerialPorts
import TestSupport
import Testing
import ToolSupport

@testable import HapticBridge
@testable import bridge

/// A fault that ends a playback.
enum PlaybackFault: CaseIterable {
    case overCurrent, overTemperature, chipReset, noChip, lostBoard

    /// Causes the fault on a board that is playing.
    func happen(to board: LiveBoard) {
        switch self {
        case .overCurrent: board.chip(.short(true))
        case .overTemperature: board.chip(.hot(true))
        case .chipReset: board.chip(.brownOut)
        case .noChip: board.chip(.power(false))
        case .lostBoard: board.end()
        }
    }

    /// The words that name the fault, and the words that name its remedy.
    var words: [String] {
        switch self {
        case .overCurrent: ["over-current", "measure between OUT+ and OUT-"]
        case .overTemperature: ["over-temperature", "let it cool down"]
        case .chipReset: ["chip reset", "the driver needs 200 mA at 3 V or more"]
        case .noChip: ["the board ended the playback", "pull-up resistors"]
        case .lostBoard: ["unplugged", "plug the board in again"]
        }
    }
}

/// A user interface of the tool or of the library that plays patterns.
enum PlayingSurface: CaseIterable { case play, servedPlay, watch, studio, osc, audition, events }

@Suite(.virtualTool) struct FaultReportTests {
    private let board: LiveBoard
    private let folder = Folder()
    private let buzz: String

    init() throws {
        board = try LiveBoard()
        buzz = try folder.write("buzz.ahap", Samples.buzz(seconds: 25))
    }

    @Test(arguments: PlaybackFault.allCases, PlayingSurface.allCases)
    func eachSurfaceNamesTheFaultAndItsRemedy(
        _ fault: PlaybackFault, _ surface: PlayingSurface
    ) throws {
        let text = try report(of: fault, on: surface)
        for words in fault.words { #expect(text.contains(words), "\(text)") }
        // The board is not checked after the other faults: a chip without a supply does not
        // acknowledge its address, and a brown-out does not always end the playback.
        if fault == .overCurrent || fault == .overTemperature {
            #expect(wait { board.isAtRest })
        }
    }

    /// Plays, causes a fault, and returns the text that the user interface shows.
    private func report(of fault: PlaybackFault, on surface: PlayingSurface) throws -> String {
        switch surface {
        case .play: try errors(of: ["play", buzz], fault)
        case .servedPlay:
            try errors(of: ["play", buzz], fault, environment: PortOwner.server.environment)
        case .watch: try errors(of: ["play", "--watch", buzz], fault)
        case .studio: try shownByStudio(fault)
        case .osc: try remarkOfOSC(fault)
        case .audition: try failureOfAudition(fault)
        case .events: try event(fault)
        }
    }

    private func happen(_ fault: PlaybackFault) {
        #expect(wait { board.level > 0 })
        fault.happen(to: board)
    }

    private func errors(
        of arguments: [String], _ fault: PlaybackFault, environment: [String: String] = [:]
    ) throws -> String {
        let tool = try RunningTool(
            Tool.executable("bridge"), arguments + ["--port", board.port], environment: environment)
        happen(fault)
        #expect(wait { !tool.isRunning || fault.words.allSatisfy { tool.errors.contains($0) } })
        // If a fault does not end the playback, `play --watch` continues to watch the file, so the
        // signal ends it.
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        #expect(outcome.status != 0)
        return outcome.errors
    }

    private func shownByStudio(_ fault: PlaybackFault) throws -> String {
        let rig = try StudioRig(Samples.buzz(seconds: 25), port: board.port)
        rig.awaitBoard()
        rig.page.send(request: #"{"type":"play","from":0}"#)
        happen(fault)
        let problem = rig.page.next("error")
        #expect(
            wait { fault.words.allSatisfy { rig.tool.errors.contains($0) } }, "\(rig.tool.errors)")
        return "\(problem?["message"] ?? ""): \(problem?["advice"] ?? "")"
    }

    private func remarkOfOSC(_ fault: PlaybackFault) throws -> String {
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--osc", "0", "--json", "--port", board.port])
        #expect(wait { tool.output.contains("\n") || !tool.isRunning })
        let address = tool.output.components(separatedBy: "127.0.0.1:").last ?? ""
        MessageSender(port: Int(address.prefix { $0.isNumber }) ?? 0).send("/haptic/level", 1)
        happen(fault)
        #expect(wait { fault.words.allSatisfy { tool.errors.contains($0) } })
        tool.signal(SIGTERM)
        return tool.outcome().errors
    }

    private func failureOfAudition(_ fault: PlaybackFault) throws -> String {
        let player = AuditionPlayer(
            device: .port(board.port), locality: .default, port: board.port,
            try OutputOptions.parse([]))
        try player.start()
        defer { player.rest() }
        let edit = EditedPattern(name: "buzz", bytes: Array(Samples.buzz(seconds: 25).utf8))
        #expect(try player.play(edit) != nil)
        happen(fault)
        var failure: ToolError?
        #expect(
            wait {
                failure = failure ?? player.removeFailure()
                return failure != nil
            })
        return failure?.text ?? ""
    }

    private func event(_ fault: PlaybackFault) throws -> String {
        let engine = HapticEngine(device: .port(board.port))
        let report = LockedValue<HapticError?>(nil)
        let events = engine.events
        let reading = Task(executorPreference: taskExecutor) {
            for await event in events {
                switch event {
                case .boardLost(let error), .faults(let error): report.withLock { $0 = error }
                default: break
                }
            }
        }
        defer { reading.cancel() }
        try engine.start()
        try engine.playPattern(from: URL(fileURLWithPath: buzz))
        happen(fault)
        #expect(wait { report.withLock { $0 != nil } })
        let error = report.withLock { $0 }
        return ([error?.message ?? ""] + (error?.advice ?? [])).joined(separator: "\n")
    }
}
