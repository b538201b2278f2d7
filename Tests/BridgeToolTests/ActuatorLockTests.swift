// Tests of `bridge actuator lock`, and of the commands that a locked board rejects, over a port of
// `virtual-board`.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct ActuatorLockTests {
    /// Configures an LRA on `board` with the given voltages and additional options.
    private func set(
        _ board: LiveBoard, rated: String = "2", overdrive: String = "3", _ more: [String] = []
    ) throws -> Outcome {
        let figures = [
            "--kind", "lra", "--resonance", "170", "--rated", rated, "--overdrive", overdrive,
        ]
        return try RunningTool(
            Tool.executable("bridge"),
            ["actuator", "set", "--port", board.port] + figures + more
        ).outcome()
    }

    private func lock(_ board: LiveBoard) throws -> Outcome {
        try Tool.bridge("actuator", "lock", "--yes", "--json", "--port", board.port)
    }

    private func isLocked(_ board: LiveBoard) throws -> Bool {
        try Tool.bridge("info", "--port", board.port).output.contains("limits       locked")
    }

    @Test func aLockedBoardTakesLessAndRefusesMoreEvenAfterAReset() throws {
        let board = try LiveBoard("--unconfigured")
        #expect(try set(board, ["--sustained", "60", "--full-for", "2"]).status == 0)
        #expect(try !isLocked(board))
        let locked = try lock(board)
        #expect(locked.status == 0, "\(locked)")
        #expect(locked.errors.contains("rated      2.00 V"))
        #expect(locked.errors.contains("60 % indefinitely, full level for 2.00 s"))
        #expect(locked.errors.contains("connect D2 to GND"))
        let object = try #require(locked.objects.first)
        #expect(object["schema"] as? String == "bridge.lock/1")
        #expect((object["actuator"] as? [String: Any])?["locked"] as? Bool == true)
        board.reset()
        #expect(try isLocked(board))

        let budget = ["--sustained", "60", "--full-for", "2"]
        let refused: [(Outcome, String)] = [
            (try set(board, rated: "2.5", budget), "rated is at most 2.00 V"),
            (try set(board, overdrive: "3.2", budget), "overdrive is at most 3.00 V"),
            (try set(board), "the level allowed indefinitely is at most 60 %"),
            (
                try set(board, ["--sustained", "60", "--full-for", "3"]),
                "full level is allowed for at most 2.00 s"
            ),
            (
                try Tool.bridge(
                    "actuator", "set", "--port", board.port, "--kind", "erm", "--rated", "1",
                    "--overdrive", "1"), "the kind is LRA"
            ),
        ]
        for (outcome, reason) in refused {
            #expect(outcome.status == 64, "\(reason): \(outcome)")
            #expect(outcome.errors.contains("limits are locked: \(reason)"), "\(outcome)")
            #expect(outcome.errors.contains("connect D2 to GND (Uno, Nano) and reset the board"))
        }
        #expect(try set(board, rated: "1.5", overdrive: "2.5", budget).status == 0)
    }

    @Test func lowerLimitsCanBeLockedOnTop() throws {
        let board = try LiveBoard("--unconfigured")
        #expect(try set(board).status == 0)
        #expect(try lock(board).status == 0)
        #expect(try set(board, rated: "1.5").status == 0)
        #expect(try lock(board).status == 0)
        let refused = try set(board)
        #expect(refused.errors.contains("rated is at most 1.50 V"), "\(refused)")
    }

    @Test func onlyTheJumperUndoesALock() throws {
        let board = try LiveBoard("--jumper")
        #expect(try lock(board).status == 0)
        #expect(try isLocked(board))
        board.reset()
        #expect(try !isLocked(board))
    }

    @Test func nothingIsLockedThatIsNotConfigured() throws {
        let board = try LiveBoard("--unconfigured")
        let outcome = try lock(board)
        #expect(outcome.status == 78 && outcome.errors.contains("bridge actuator set"))
    }

    @Test func withoutATerminalAnOptionIsRequired() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge("actuator", "lock", "--port", board.port)
        #expect(outcome.status == 64 && outcome.errors.contains("--yes"), "\(outcome)")
        #expect(try !isLocked(board))
    }

    @Test(arguments: [("y\n", 0 as Int32), ("\n", 130), ("no\n", 130)])
    func inATerminalItAsks(answer: String, status: Int32) throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["actuator", "lock", "--port", board.port],
            typed: answer)
        let outcome = tool.outcome()
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.contains("Lock these limits? [y/N]"))
        #expect(try isLocked(board) == (status == 0))
    }
}
