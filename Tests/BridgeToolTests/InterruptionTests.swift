// Tests that the actuator comes to rest when the tool ends during a pattern, for any reason.

import AcceptanceReports
import Foundation
import TestSupport
import Testing

@testable import bridge

@Suite(.virtualTool) struct InterruptionTests {
    let folder = Folder()

    /// Starts a pattern of ten minutes over a port, and returns as soon as the actuator is driven.
    private func playing(
        on board: LiveBoard, by owner: PortOwner = .player
    ) throws -> RunningTool {
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--json", "--port", board.port, path],
            environment: owner.environment)
        #expect(wait { board.level > 0 })
        return tool
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP], PortOwner.allCases)
    func aSignalStopsTheMotorFirstAndThenEndsTheTool(signal: Int32, owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        tool.signal(signal)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: signal), "\(outcome)")
        #expect(outcome.objects.first?["ending"] as? String == "stopped")
        // Less than a minute of the ten minutes has been played.
        #expect((outcome.objects.first?["played_us"] as? Int).map { $0 < 60_000_000 } == true)
        #expect(outcome.errors.contains("at rest"))
        #expect(wait { board.isAtRest })
    }

    @Test(arguments: PortOwner.allCases)
    func aSecondHostIsRefusedWhileTheFirstPlays(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        let second = try Tool.bridge("calibrate", "--port", board.port)
        #expect(second.status == 75 && second.errors.contains("in use by"), "\(second)")
        #expect(board.level > 0)
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
    }

    @Test(arguments: PortOwner.allCases)
    func aSecondHostAsksAndStopsWhatTheFirstPlays(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.status == 0 && info.output.contains("state         driving"), "\(info)")
        #expect(board.level > 0)
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(board.isAtRest)
        let outcome = tool.outcome()
        #expect(outcome.status == 0 && outcome.output.contains("stopped"), "\(outcome)")
    }

    /// A pattern for a profile is not played by an engine.
    @Test func afterAStopNoFurtherPatternPlays() throws {
        let board = try LiveBoard()
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["play", "--json", "--profile", "lra", "--port", board.port, path, path])
        #expect(wait { board.level > 0 })
        #expect(try Tool.bridge("stop", "--port", board.port).status == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.map { $0["ending"] as? String } == ["stopped"])
        #expect(board.isAtRest)
    }

    /// A command that drives an actuator without an engine, and the value of the register MODE or
    /// RTP_INPUT while it does.
    enum DrivingCommand: CaseIterable {
        case calibrate, diagnose, accept

        func arguments(report: String) -> [String] {
            switch self {
            case .calibrate: ["calibrate"]
            case .diagnose: ["diagnose"]
            case .accept: ["accept", report, "--only", "events"]
            }
        }

        func drives(_ board: LiveBoard) -> Bool {
            switch self {
            case .calibrate: board.mode & 7 == 7
            case .diagnose: board.mode & 7 == 6
            case .accept: board.level > 0
            }
        }
    }

    /// Returns a command that is driving the actuator of a board.
    private func driving(_ board: LiveBoard, by command: DrivingCommand) throws -> RunningTool {
        let tool = try RunningTool(
            Tool.executable("bridge"),
            command.arguments(report: folder.path("report.json")) + ["--port", board.port])
        #expect(wait { command.drives(board) })
        return tool
    }

    @Test(arguments: DrivingCommand.allCases)
    func anotherProgramStopsACommandThatDrives(_ command: DrivingCommand) throws {
        let board = try LiveBoard()
        let before = try Tool.bridge("actuator", "show", "--json", "--port", board.port)
        let tool = try driving(board, by: command)
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0 && stop.output.contains("1 actuator at rest"), "\(stop)")
        #expect(board.isAtRest)
        let outcome = tool.outcome()
        #expect(outcome.status == 130, "\(outcome)")
        #expect(outcome.errors.contains("stopped by another program; the actuator is at rest"))
        #expect(board.isAtRest)
        if command == .accept {
            let report = try AcceptanceReport(path: folder.path("report.json"))
            #expect(report.steps.map(\.checks) == [[.interrupted]])
            #expect(outcome.errors.contains("the same command continues the test"))
        } else {
            #expect(outcome.output.isEmpty)
        }
        board.reset()
        let after = try Tool.bridge("actuator", "show", "--json", "--port", board.port)
        let registers = [before, after].map {
            ($0.objects.first?["actuator"] as? [String: Any])?["registers"] as? String
        }
        #expect(registers[0] != nil && registers[0] == registers[1], "nothing is stored")
    }

    @Test(arguments: [DrivingCommand.calibrate, .accept])
    func anotherProgramQueriesACommandThatDrives(_ command: DrivingCommand) throws {
        let board = try LiveBoard()
        let tool = try driving(board, by: command)
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.status == 0 && info.output.contains("driving"), "\(info)")
        #expect(command.drives(board))
        #expect(tool.outcome().status == 0)
    }

    @Test(arguments: PortOwner.allCases)
    func aBoardThatGoesAwayIsAnError(owner: PortOwner) throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: owner)
        #expect(board.end() == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 74, "\(outcome)")
        #expect(outcome.errors.hasPrefix("bridge: \(board.port): unplugged"), "\(outcome)")
    }

    @Test func twoHostsAreMixed() throws {
        let board = try LiveBoard()
        let tool = try playing(on: board, by: .server)
        let path = try folder.write("tap.ahap", Samples.tap)
        let second = try Tool.bridge(
            "play", "--port", board.port, path, environment: PortOwner.server.environment)
        #expect(second.status == 0 && second.output.contains("played"), "\(second)")
        #expect(board.level > 0, "the first continues")
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(wait { board.isAtRest })
    }
}
