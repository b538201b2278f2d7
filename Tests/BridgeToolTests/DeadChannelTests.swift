// Tests of a board with several actuators, one of whose chips does not answer.

import Foundation
import TestSupport
import Testing

@Suite struct DeadChannelTests {
    private let board: LiveBoard

    init() throws { board = try LiveBoard("--actuators", "4", "--dead", "2") }

    private func bridge(_ arguments: String...) throws -> Outcome {
        try RunningTool(Tool.executable("bridge"), arguments + ["--port", board.port]).outcome()
    }

    /// Checks that the other actuators play. In each session, the board tries to set up the dead
    /// chip again, and it ends all streams when this attempt fails.
    @Test func theOthersPlayInSessionAfterSession() throws {
        for _ in 0..<4 {
            let outcome = try bridge("play", "--json", "--actuator", "3", "success")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.objects.first?["faults"] as? Int == 0)
        }
        let all = try bridge("play", "--json", "--locality", "all", "success")
        #expect(
            all.status == 0 && all.errors.contains("actuator 2 cannot be driven; faults: "),
            "\(all)")
        #expect(all.objects.first?["actuators"] as? [Int] == [0, 1, 3])
        #expect(try bridge("diagnose", "--actuator", "1").output.contains("is connected and works"))
    }

    @Test func itIsNamedWhereItIsToPlay() throws {
        let outcome = try bridge("play", "--actuator", "2", "success")
        #expect(outcome.status == 81, "\(outcome)")
        #expect(outcome.errors.contains("actuator 2 cannot be driven; faults: no chip"))
        #expect(!board.hasDriven)
    }

    @Test func infoAndDoctorNameItAndNoOther() throws {
        #expect(try bridge("info").output.contains("actuator 2     fault, chip none"))
        let doctor = try bridge("doctor", "--json")
        let findings = doctor.objects.first?["findings"] as? [[String: Any]] ?? []
        let problems = findings.filter { $0["weight"] as? String == "problem" }
        #expect(doctor.status == 81 && problems.count == 1, "\(doctor)")
        let text = problems.first?["text"] as? String
        #expect(text == "\(board.port): actuator 2 cannot be driven; faults: no chip")
        #expect((problems.first?["cure"] as? [String])?.last?.contains("channel 2") == true)
    }

    @Test(arguments: [["--dead", "1"], ["--actuators", "2", "--dead", "-1"]])
    func anActuatorThatIsNotThereIsNotDead(_ arguments: [String]) throws {
        let program = Tool.executable("virtual-board")
        let outcome = try RunningTool(program, arguments).outcome()
        #expect(outcome.status == 64, "\(outcome)")
    }
}
