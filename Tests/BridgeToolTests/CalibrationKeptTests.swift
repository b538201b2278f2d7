// Tests that a calibration is part of an actuator's data and is kept when other settings change.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct CalibrationKeptTests {
    private func set(_ arguments: String..., on board: LiveBoard) throws -> (Outcome, [String: Any])
    {
        let outcome = try RunningTool(
            Tool.executable("bridge"),
            ["actuator", "set", "--json", "--actuator", "1", "--port", board.port] + arguments
        ).outcome()
        return (outcome, outcome.objects.first?["actuator"] as? [String: Any] ?? [:])
    }

    /// Returns a board whose second actuator is calibrated.
    private func calibrated() throws -> LiveBoard {
        let board = try LiveBoard("--actuators", "2")
        func calibrate() throws -> Outcome {
            try Tool.bridge("calibrate", "--actuator", "1", "--port", board.port)
        }
        var outcome = try calibrate()
        // If this computer stalls, the board's dead-man timer ends the calibration.
        for _ in 0..<3 where outcome.status == 82 { outcome = try calibrate() }
        #expect(outcome.status == 0, "\(outcome)")
        return board
    }

    @Test func aNewPlaceOrNameChangesNothingElse() throws {
        let board = try calibrated()
        func facts() throws -> [String: Any] {
            let show = try Tool.bridge(
                "actuator", "show", "--json", "--actuator", "1", "--port", board.port)
            return try #require(show.objects.first?["actuator"] as? [String: Any], "\(show)")
        }
        var before = try facts()
        let (outcome, moved) = try set("--locality", "rightHandle", on: board)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        before["locality"] = "rightHandle"
        #expect(moved as NSDictionary == before as NSDictionary)
        let (_, named) = try set("--name", "thumb", on: board)
        #expect(named as NSDictionary == before as NSDictionary)
        let text = try Tool.bridge("actuator", "show", "--actuator", "1", "--port", board.port)
        #expect(text.output.contains("thumb"))
    }

    @Test func theSameActuatorNamedAgainStaysCalibratedWhereItIs() throws {
        let board = try calibrated()
        _ = try set("--locality", "rightHandle", on: board)
        let (outcome, actuator) = try set("VG1040003D", on: board)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(actuator["calibration"] as? String == "passed")
        #expect(actuator["locality"] as? String == "rightHandle")
    }

    @Test func anotherActuatorMustBeCalibratedAgain() throws {
        let board = try calibrated()
        let (outcome, actuator) = try set("SEMCO1030", on: board)
        #expect(outcome.status == 0 && actuator["calibration"] as? String == "never-run")
        let command = "`bridge calibrate --port \(board.port) --actuator 1`"
        #expect(outcome.errors.contains(command), "\(outcome)")
    }

    @Test func whatIsNotConfiguredHasNoPlaceAlone() throws {
        let board = try LiveBoard("--actuators", "2", "--unconfigured")
        let (outcome, _) = try set("--locality", "rightHandle", on: board)
        #expect(outcome.status == 78 && outcome.errors.contains("--kind lra"), "\(outcome)")
    }
}
