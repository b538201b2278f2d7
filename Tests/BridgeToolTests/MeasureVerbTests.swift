// Tests of `bridge measure`.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct MeasureVerbTests {
    let folder = Folder()

    /// A tap and a hold that are felt separately.
    private static let pattern = #"""
        {"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":1}]}},
        {"Event":{"Time":0.5,"EventType":"HapticContinuous","EventDuration":0.2,"EventParameters":[
        {"ParameterID":"HapticIntensity","ParameterValue":0.7}]}}]}
        """#

    private func file() throws -> String { try folder.write("two.ahap", Self.pattern) }

    @Test func theToolsOwnBoardIsMeasured() throws {
        let outcome = try Tool.bridge("measure", "--virtual", "--json", file())
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        #expect(result["schema"] as? String == "bridge.measure/1")
        #expect(result["sensor"] as? String == "lsm6dso" && result["axis"] as? String == "z")
        #expect(result["lost"] as? Int == 0 && (result["findings"] as? [String])?.isEmpty == true)
        #expect(try abs(#require(result["rest_g"] as? Double) - 1) < 0.01)
        #expect(try abs(#require(result["frequency_hz"] as? Double) - 170) < 1)
        #expect(try abs(#require(result["later_mean_ms"] as? Double)) < 0.5)
        #expect(try #require(result["prediction_jnd_mean"] as? Double) < 0.3)
        let events = try #require(result["events"] as? [[String: Any]])
        #expect(events.count == 2)
        for (event, wanted) in zip(events, [1, 0.7]) {
            #expect(event["designed"] as? Double == wanted)
            #expect(try abs(#require(event["measured"] as? Double) - wanted) < 0.15)
            let pulse = try #require(event["pulse"] as? [String: Any])
            #expect(try #require(pulse["peak_to_ring"] as? Double) > 2)
        }
        let tap = try #require(events[0]["pulse"] as? [String: Any])
        #expect(try 5...40 ~= #require(tap["duration_ms"] as? Double))
        let hold = try #require(events[1]["pulse"] as? [String: Any])
        #expect(try abs(#require(hold["duration_ms"] as? Double) - 200) < 30)
    }

    @Test func theTextHasThePlotTheTableAndTheFigures() throws {
        let outcome = try Tool.bridge("measure", "--virtual", "--full", "hold", file())
        #expect(outcome.status == 0, "\(outcome.errors)")
        for part in [
            "g at this mounting", "sensor ", "HapticTransient", "peak to ring ratio",
            "figure of merit", "measured by a hold", "delay of 0.27 ms subtracted",
        ] {
            #expect(outcome.output.contains(part), "\(part): \(outcome.output)")
        }
    }

    @Test func thePictureHasTheDesignThePredictionAndTheMeasurement() throws {
        let picture = folder.path("picture.svg")
        let outcome = try Tool.bridge("measure", "--virtual", "--svg", picture, file())
        #expect(outcome.status == 0)
        let svg = folder.text("picture.svg")
        for id in ["designed-taps", "acceleration-lra", "acceleration-measured"] {
            #expect(svg.contains("id=\"\(id)\""), "\(id)")
        }
    }

    @Test(arguments: ["lis3dh", "lis2dw12", "lsm6dso"])
    func eachAccelerometerOfABoardMeasures(_ sensor: String) throws {
        let board = try LiveBoard("--sensor", sensor)
        let outcome = try Tool.bridge("measure", "--port", board.port, "--json", file())
        #expect(outcome.status == 0, "\(outcome.errors)")
        let result = try #require(outcome.objects.first)
        #expect((result["sensor"] as? String)?.lowercased() == sensor)
        #expect(try abs(#require(result["later_mean_ms"] as? Double)) < 0.5)
        #expect(board.isAtRest)
    }

    @Test func aHoldReplacesTheRatedAcceleration() throws {
        let board = try LiveBoard("--sensor", "lsm6dso")
        // The actuator of the virtual board moves with 1.5 g.
        let set = try Tool.bridge("actuator", "set", "--acceleration", "3", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        for (full, level) in [("rated", 0.35), ("hold", 0.7)] {
            let outcome = try Tool.bridge(
                "measure", "--port", board.port, "--axis", "Z", "--full", full, "--json", file())
            #expect(outcome.status == 0, "\(outcome)")
            let events = try #require(outcome.objects.first?["events"] as? [[String: Any]])
            let measured = try #require(events[1]["measured"] as? Double)
            #expect(abs(measured - level) < 0.1, "\(full): \(measured)")
        }
    }

    @Test func aHoldThatTheEnergyBudgetLimitsIsRefused() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let set = try Tool.bridge(
            "actuator", "set", "--kind", "lra", "--resonance", "170", "--rated", "2", "--overdrive",
            "3", "--sustained", "20", "--full-for", "0.1", "--port", board.port)
        #expect(set.status == 0, "\(set)")
        let outcome = try Tool.bridge("measure", "--port", board.port, "--full", "hold", file())
        #expect(outcome.status == 75 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("the energy budget of the actuator has limited the level"))
    }

    @Test func ctrlCEndsAMeasurementAtRest() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let path = try folder.write("held.ahap", StudioTests.held)
        let measure = try RunningTool(
            Tool.executable("bridge"), ["measure", "--port", board.port, path])
        #expect(wait { board.level > 0 })
        measure.signal(SIGINT)
        let outcome = measure.outcome()
        #expect(outcome.wasEnded(by: SIGINT) && board.isAtRest, "\(outcome)")
        #expect(outcome.errors.contains("stopped; the actuator is at rest"), "\(outcome)")
        #expect(outcome.output.isEmpty, "\(outcome)")
    }

    /// An Arduino is reset when its port is opened, so the board searches only after WELCOME.
    @Test func infoShowsTheAccelerometer() throws {
        for (options, name) in [
            (["--sensor", "lis2dw12", "--reset-on-open"], "lis2dw12"), ([], "none"),
        ] {
            let board = try LiveBoard(options: options)
            let info = try Tool.bridge("info", "--json", "--port", board.port)
            #expect(info.objects.first?["accelerometer"] as? String == name)
        }
    }

    @Test func anAxisThatDoesNotMoveIsNamed() throws {
        let outcome = try Tool.bridge("measure", "--virtual", "--axis", "x", file())
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("senses no vibration") && outcome.errors.contains("--axis"))
        let full = try Tool.bridge("measure", "--virtual", "--axis", "x", "--full", "hold", file())
        #expect(full.status == 82 && full.output.isEmpty && full.errors.contains("--axis"))
    }

    @Test func aBoardWithoutAnAccelerometerNamesItsConnection() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge("measure", "--port", board.port, file())
        #expect(outcome.status == 81 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("found no accelerometer"))
        #expect(outcome.errors.contains("SDA and SCL") && outcome.errors.contains("A4 and A5"))
        #expect(!board.hasDriven)
    }

    @Test func whatCannotBeMeasuredIsRefusedBeforeItPlays() throws {
        let long = try folder.write(
            "long.ahap",
            #"""
            {"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}},
            {"Event":{"Time":90,"EventType":"HapticTransient"}}]}
            """#)
        let outcome = try Tool.bridge("measure", "--virtual", long)
        #expect(outcome.status == 64 && outcome.errors.contains("74 s at most"))
        let compiled = folder.path("two.hbes")
        _ = try Tool.bridge("compile", file(), "-o", compiled)
        #expect(try Tool.bridge("measure", "--virtual", compiled).status == 65)
        #expect(try Tool.bridge("measure", "--virtual", "--svg", "a.png", file()).status == 64)
        let unconfigured = try LiveBoard("--unconfigured", "--sensor", "lis3dh")
        #expect(try Tool.bridge("measure", "--port", unconfigured.port, file()).status == 78)
    }

    @Test func aPictureThatCannotBeWrittenIsRefusedBeforeItPlays() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        for (path, reason) in [
            (folder.path("missing/picture.svg"), "No such file or directory"),
            (folder.path("folder.svg"), "Is a directory"),
        ] {
            try FileManager.default.createDirectory(
                atPath: folder.path("folder.svg"), withIntermediateDirectories: true)
            let outcome = try Tool.bridge("measure", "--port", board.port, "--svg", path, file())
            #expect(outcome.status == 73 && outcome.output.isEmpty, "\(outcome)")
            #expect(outcome.errors.contains("\(path): cannot be written: \(reason)"), "\(outcome)")
        }
        #expect(!board.wasOpened && !board.hasDriven)
    }

    /// The picture of an earlier measurement is kept if the new measurement fails.
    @Test func anEarlierPictureIsKeptAfterAFailure() throws {
        let path = try folder.write("picture.svg", "earlier")
        let outcome = try Tool.bridge("measure", "--virtual", "--svg", path, silent())
        #expect(outcome.status == 65 && folder.text("picture.svg") == "earlier", "\(outcome)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["picture.svg", "silent.ahap"])
    }

    // MARK: Nothing to feel

    /// A tap and a hold of intensity 0.
    private func silent() throws -> String {
        try folder.write(
            "silent.ahap",
            Self.pattern.replacing(#"Value":1"#, with: #"Value":0"#).replacing("0.7", with: "0"))
    }

    @Test func aPatternWithNothingToFeelIsRefusedBeforeItPlays() throws {
        let board = try LiveBoard("--sensor", "lis3dh")
        let outcome = try Tool.bridge(
            "measure", "--port", board.port, "--full", "hold", "--json", silent())
        #expect(outcome.status == 65 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("silent.ahap: the pattern contains nothing to feel"))
        #expect(!board.hasDriven)
    }

    @Test func theOrientationsAreCheckedByGravity() throws {
        // The virtual board cannot be turned, so both readings are 1 g.
        let outcome = try Tool.bridge(
            "measure", "--virtual", "--orient", file(), input: Data("y\ny\n".utf8))
        #expect(outcome.status == 64 && outcome.errors.contains("1.00 g and 1.00 g along z"))
        let refused = try Tool.bridge(
            "measure", "--virtual", "--orient", file(), input: Data("n\n".utf8))
        #expect(refused.status == 130 && refused.errors.contains("not confirmed"))
    }
}
