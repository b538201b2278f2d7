// Localities at the command line, on a virtual board with several actuators.

import Foundation
import TestSupport
import Testing

@Suite struct LocalityVerbTests {
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

    @Test func anActuatorIsToldWhereItIsAndPlaysThere() throws {
        let board = try LiveBoard("--actuators", "4")
        for (actuator, locality) in ["leftHandle", "rightHandle"].enumerated() {
            let outcome = try set(actuator, locality, on: board)
            #expect(outcome.status == 0)
            let told = outcome.objects.first?["actuator"] as? [String: Any]
            #expect(told?["locality"] as? String == locality)
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
        #expect(text.contains("LRA of 170.0 Hz, rightHandle"))
    }

    @Test func aLocalityThatNobodyHasNamesThoseThatAre() throws {
        let board = try LiveBoard("--actuators", "2")
        let tap = try folder.write("tap.ahap", Samples.tap)
        let outcome = try Tool.bridge(
            "play", "--locality", "triggers", "--port", board.port, tap)
        #expect(outcome.status == 64)
        let expected = "no actuator of the board is at triggers; it has default, all"
        #expect(outcome.errors.contains(expected))
        #expect(driven(board) == [])
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
