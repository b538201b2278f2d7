// Tests that use localities on the command line, with a virtual board that has several actuators.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct LocalityVerbTests {
    private let folder = Folder()

    private func set(_ actuator: Int, _ locality: String, on board: LiveBoard) throws
        -> Outcome
    {
        try Tool.bridge(
            "actuator", "set", "VG1040003D", "--actuator", "\(actuator)", "--locality", locality,
            "--port", board.port, "--json")
    }

    private func tool(_ arguments: [String]) throws -> Int32 {
        try RunningTool(Tool.executable("bridge"), arguments).outcome().status
    }

    private func driven(_ board: LiveBoard) -> Set<Int> {
        Set(
            board.transactions.filter { $0.write?.register == 2 && $0.write?.value ?? 0 > 0 }
                .map(\.actuator))
    }

    @Test func anActuatorIsGivenALocalityAndPlaysThere() throws {
        let board = try LiveBoard("--actuators", "4")
        for (actuator, locality) in ["leftHandle", "rightHandle"].enumerated() {
            let outcome = try set(actuator, locality, on: board)
            #expect(outcome.status == 0)
            let shown = outcome.objects.first?["actuator"] as? [String: Any]
            #expect(shown?["locality"] as? String == locality)
        }
        let tap = try folder.write("tap.ahap", Samples.tap)
        let right = try Tool.bridge(
            "play", "--locality", "rightHandle", "--port", board.port, tap)
        #expect(right.status == 0)
        #expect(driven(board) == [1])
        let handles = try Tool.bridge("play", "--locality", "handles", "--port", board.port, tap)
        #expect(handles.status == 0)
        #expect(driven(board) == [0, 1])
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        #expect(
            info.objects.first?["localities"] as? [String]
                == ["default", "all", "handles", "leftHandle", "rightHandle"])
        let text = try Tool.bridge("info", "--port", board.port).output
        #expect(text.contains("default, all, handles, leftHandle, rightHandle"))
        #expect(text.contains("LRA of 170.0 Hz\n  locality     rightHandle"))
    }

    @Test func aLocalityThatNobodyHasNamesThoseThatAre() throws {
        let board = try LiveBoard("--actuators", "2")
        let tap = try folder.write("tap.ahap", Samples.tap)
        let outcome = try Tool.bridge(
            "play", "--locality", "triggers", "--port", board.port, tap)
        #expect(outcome.status == 64)
        let expected = "no actuator of the board is at triggers; the board has default, all"
        #expect(outcome.errors.contains(expected))
        #expect(driven(board) == [])
        let inside = try Tool.bridge("play", "--locality", "triggers", "--virtual", tap)
        #expect(inside.status == 64 && inside.errors.contains("virtual-board --localities"))
    }

    @Test func theCommandThatIsAdvisedForALocalityMendsIt() throws {
        let board = try LiveBoard("--actuators", "2")
        let tap = try folder.write("tap.ahap", Samples.tap)
        let play = ["play", "--locality", "rightTrigger", "--port", board.port, tap]
        let bridge = Tool.executable("bridge")
        let refused = try RunningTool(bridge, play).outcome()
        let advice = try #require(
            refused.errors.split(separator: "\n").first { $0.hasPrefix("  bridge ") }, "\(refused)")
        let words = advice.split(separator: " ").dropFirst().map(String.init)
        #expect(try RunningTool(bridge, words).outcome().status == 0)
        #expect(try RunningTool(bridge, play).outcome().status == 0)
        #expect(driven(board) == [0])
    }

    @Test func aVirtualBoardMayHaveLocalitiesFromItsStart() throws {
        let board = try LiveBoard("--localities", "leftHandle,rightHandle,default")
        let right = try Tool.bridge(
            "play", "--locality", "rightHandle", "--port", board.port, "success")
        #expect(right.status == 0 && driven(board) == [1], "\(right)")
        let moved = try Tool.bridge(
            "actuator", "set", "--actuator", "2", "--locality", "leftTrigger", "--port", board.port)
        #expect(moved.status == 0, "\(moved)")
        board.reset()
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        #expect(
            info.objects.first?["localities"] as? [String]
                == [
                    "default", "all", "handles", "leftHandle", "rightHandle", "triggers",
                    "leftTrigger",
                ], "\(info)")
    }

    @Test(arguments: [
        ["--localities", "elbow"], ["--localities", "leftHandle,"],
        ["--localities", "leftHandle,rightHandle", "--actuators", "1"],
        ["--localities", "leftHandle", "--unconfigured"],
    ])
    func whatIsNoPlaceOfAVirtualBoardIsAUsageError(_ arguments: [String]) throws {
        let program = Tool.executable("virtual-board")
        let outcome = try RunningTool(program, arguments).outcome()
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test func actuatorsThatAreLeftOutAreNamed() throws {
        let board = try LiveBoard("--actuators", "3", "--unconfigured")
        #expect(try set(1, "leftHandle", on: board).status == 0)
        let outcome = try Tool.bridge(
            "play", "--json", "--locality", "all", "--port", board.port, "success")
        #expect(outcome.status == 0 && driven(board) == [1])
        for actuator in [0, 2] {
            let remark = "\(board.port): actuator \(actuator) does not play: unconfigured"
            #expect(outcome.errors.contains(remark), "\(outcome)")
        }
        #expect(outcome.objects.first?["actuators"] as? [Int] == [1])
    }

    @Test func itPlaysOnTheHandlesIfNothingElseIsSaid() throws {
        let board = try LiveBoard("--localities", "leftTrigger,leftHandle,rightHandle")
        #expect(try Tool.bridge("play", "--port", board.port, "impact-heavy").status == 0)
        #expect(driven(board) == [1, 2])
    }

    @Test(arguments: [
        ["play", "--locality", "elbow", "success"],
        ["play", "--locality", "all", "--actuator", "0", "success"],
        ["actuator", "set", "VG1040003D", "--locality", "handles"],
    ])
    func whatIsNoLocalityIsAUsageError(_ arguments: [String]) throws {
        #expect(try tool(arguments + ["--virtual"]) == 64)
    }
}
