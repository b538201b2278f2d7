// Tests that configure and use actuators with a frequency band on the command line, with a virtual
// board.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct BandVerbTests {
    private let folder = Folder()
    private static let values = ["--rated", "2", "--overdrive", "3"]

    private func tool(_ arguments: [String]) throws -> Outcome {
        try RunningTool(Tool.executable("bridge"), arguments).outcome()
    }

    private func set(_ arguments: String..., on board: LiveBoard) throws -> Outcome {
        try tool(["actuator", "set"] + arguments + Self.values + ["--port", board.port])
    }

    @Test func anActuatorWithABandIsConfiguredShownAndPlayed() throws {
        let board = try LiveBoard()
        let outcome = try set("--kind", "wide-band", "--band", "80-300", on: board)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("wide-band of 80.0 Hz to 298.7 Hz, logarithmic"))
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.output.contains("calibration, storage, band"), "\(info.output)")
        let pattern = try folder.write(
            "taps.ahap",
            """
            {"Version": 1.0, "Pattern": [
              {"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": 1.0},
                {"ParameterID": "HapticSharpness", "ParameterValue": 0.0}]}},
              {"Event": {"Time": 0.2, "EventType": "HapticTransient", "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": 1.0},
                {"ParameterID": "HapticSharpness", "ParameterValue": 1.0}]}}]}
            """)
        #expect(try Tool.bridge("play", "--port", board.port, pattern).status == 0)
        let periods = board.transactions.compactMap(\.write).filter { $0.register == 0x20 }
        #expect(periods.suffix(2).map(\.value) == [127, 34])
        let explanation = try Tool.bridge("explain", "--port", board.port, pattern)
        #expect(explanation.status == 0)
        #expect(!explanation.output.contains("sharpness-not-rendered"))
        #expect(explanation.output.contains("2 rendered"))
    }

    /// Checks that the fields of the band are not printed as the voltages of an ERM.
    @Test func theMotionOfAnActuatorWithABandIsAnEstimate() throws {
        let board = try LiveBoard()
        let outcome = try set("--kind", "wide-band", "--band", "80-300", "--json", on: board)
        let actuator = try #require(outcome.objects.first?["actuator"] as? [String: Any])
        #expect(actuator["start_volts"] is NSNull && actuator["running_volts"] is NSNull)
        #expect(actuator["estimates"] as? [String] == ["time_constant_ms", "acceleration_g"])
        let given = try tool(["actuator", "set", "--acceleration", "1.2", "--port", board.port])
        #expect(
            given.output.contains("time constant 5.0 ms (estimate), acceleration 1.20 g\n"),
            "\(given)")
    }

    @Test(arguments: ["linear", "absolute"])
    func theLawIsStoredOnTheBoard(_ law: String) throws {
        let board = try LiveBoard()
        let outcome = try set(
            "--kind", "wide-band", "--band", "100-200", "--law", law, on: board)
        #expect(outcome.status == 0)
        let shown = try Tool.bridge("actuator", "show", "--port", board.port)
        #expect(shown.output.contains("wide-band of 99.6 Hz to 199.1 Hz, \(law)"))
    }

    @Test(arguments: [
        (["--kind", "wide-band"], "--band LOW-HIGH within 80-406"),
        (["--kind", "wide-band", "--band", "60-300"], "--band LOW-HIGH within 80-406"),
        (["--kind", "wide-band", "--band", "80-407"], "--band LOW-HIGH within 80-406"),
        (["--kind", "wide-band", "--band", "300-80"], "--band LOW-HIGH within 80-406"),
        (["--kind", "wide-band", "--band", "405-406"], "so both ends become 406.0 Hz"),
        (["--kind", "lra", "--resonance", "170", "--band", "80-300"], "only to --kind wide-band"),
        (["--kind", "erm", "--law", "linear"], "only to --kind wide-band"),
        (["--kind", "wide-band", "--band", "80-300", "--resonance", "170"], "only to --kind lra"),
    ])
    func aBandThatIsNotPossibleIsAnInvalidCommandLine(
        _ arguments: [String], _ reason: String
    ) throws {
        let outcome = try tool(["actuator", "set"] + arguments + Self.values)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func aChipWithoutTheRegisterIsRefusedWithTheReason() throws {
        let board = try LiveBoard("--chip", "3")
        let outcome = try set("--kind", "wide-band", "--band", "80-300", on: board)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("a DRV2605 cannot change the frequency"))
    }

    @Test(arguments: [["compile", "--check"], ["explain"], ["render"], ["play", "--virtual"]])
    func aProfileWhoseBandIsOneFrequencyIsRefused(_ command: [String]) throws {
        let profile = try folder.write(
            "narrow.json",
            """
            {"name": "narrow", "kind": "wide-band", "description": "one frequency",
             "tapDullMicroseconds": 25000, "tapSharpMicroseconds": 6700,
             "lowHertz": 200, "highHertz": 200, "law": "logarithmic",
             "response": [], "sustainedLevel": 1, "fullLevelMilliseconds": 0}
            """)
        let outcome = try tool(command + ["--profile", profile, "success"])
        #expect(outcome.status == 65, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "narrow.json:3:32: error: \"highHertz\" must be a number of 80.0 to 406.0 that is "
                    + "greater than 200.0"), "\(outcome)")
    }

    @Test func explainReportsWhatTheVoltageForbids() throws {
        let profile = try folder.write(
            "weak.json",
            """
            {"name": "weak", "kind": "wide-band", "description": "weak at low frequencies",
             "tapDullMicroseconds": 25000, "tapSharpMicroseconds": 6700,
             "lowHertz": 80, "highHertz": 300, "law": "logarithmic",
             "response": [[80, 0.4], [100, 1]], "sustainedLevel": 1, "fullLevelMilliseconds": 0}
            """)
        let pattern = try folder.write(
            "dull.ahap",
            """
            {"Version": 1.0, "Pattern": [
              {"Event": {"Time": 0.0, "EventType": "HapticContinuous", "EventDuration": 0.5,
                "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": 1.0},
                {"ParameterID": "HapticSharpness", "ParameterValue": 0.0}]}}]}
            """)
        let outcome = try Tool.bridge("explain", "--profile", profile, pattern)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("[limited-by-voltage]"))
        #expect(outcome.output.contains("43 % of the intensity at 80 Hz"), "\(outcome.output)")
    }
}
