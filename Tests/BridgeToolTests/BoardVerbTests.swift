// Tests of the commands `play`, `stop`, `info`, `list` and `actuator set` on the tool's own virtual
// board and over a port.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct BoardVerbTests {
    let folder = Folder()

    private func tap() throws -> String { try folder.write("tap.ahap", Samples.tap) }

    @Test func playReportsEachFileAsOneObject() throws {
        let outcome = try Tool.bridge(
            "play", "--virtual", "--json", tap(), folder.write("comma.ahap", Samples.trailingComma))
        #expect(outcome.status == 0)
        #expect(outcome.objects.count == 2)
        for object in outcome.objects {
            #expect(object["schema"] as? String == "bridge.play/1")
            #expect(object["ending"] as? String == "played")
            #expect(object["skipped"] as? Int == 0)
            #expect(object["underruns"] as? Int == 0)
            #expect(object["late"] as? Int == 0)
            #expect((object["worst_onset_error_at_most_us"] as! Int) <= 1_000)
            #expect(object["actuators"] as? [Int] == [0])
            #expect(object["played_us"] as? Int == object["rendered_us"] as? Int)
            #expect(object["bytes_sent"] as! Int > 20 && object["bytes_received"] as! Int > 20)
        }
        #expect(outcome.objects.map { $0["repairs"] as? Int } == [0, 1])
    }

    @Test func playReadsStandardInputAndCompiledFiles() throws {
        let compiled = folder.path("tap.hbes")
        _ = try Tool.bridge("compile", tap(), "-o", compiled)
        let outcome = try Tool.bridge(
            "play", "--virtual", "-", compiled, input: Data(Samples.tap.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("<stdin>: played, 1 tap"))
        #expect(outcome.output.contains("tap.hbes: played, 1 tap"))
    }

    @Test func nothingPlaysIfOneOfTheFilesIsBad() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge(
            "play", "--port", board.port, tap(), folder.write("bad.ahap", Samples.unknownType))
        #expect(outcome.status == 65 && outcome.output.isEmpty)
        #expect(!board.hasDriven)
    }

    @Test func theTraceOfTheToolShowsTheDrive() throws {
        let trace = folder.path("trace")
        #expect(try Tool.bridge("play", "--virtual", "--trace", trace, tap()).status == 0)
        let lines = folder.text("trace").split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.allSatisfy { $0.count == 2 && Int($0[0]) != nil })
        let levels = lines.filter { $0[1].hasPrefix("b402") && $0[1].count == 6 }.map { $0[1] }
        #expect(levels.contains("b402ff") && levels.last == "b40200")
    }

    @Test func aBoardAtAPortPlaysAndLeavesOnRequest() throws {
        let board = try LiveBoard("--id", "a1")
        let outcome = try Tool.bridge(
            "play", "--json", tap(), environment: ["BRIDGE_PORT": board.port])
        #expect(outcome.status == 0)
        #expect(outcome.objects.first?["board"] as? String == board.port)
        #expect(board.hasDriven && wait { board.isAtRest })
        #expect(try Tool.bridge("stop", "--port", board.port).output.contains("1 actuator at rest"))
        let info = try Tool.bridge("info", "--json", "--port", board.port)
        let object = try #require(info.objects.first)
        #expect(object["schema"] as? String == "bridge.info/1")
        #expect((object["board"] as? [String: Any])?["id"] as? String == "00000000000000a1")
        #expect(board.end() == 0)
    }

    @Test func aBoardThatResetsWhenItIsOpenedPlays() throws {
        let board = try LiveBoard("--reset-on-open")
        #expect(try Tool.bridge("play", "--port", board.port, tap()).status == 0)
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.output.contains("external reset"))
    }

    @Test func anActuatorThatIsNotConfiguredIsRefusedUntilItIs() throws {
        let board = try LiveBoard("--unconfigured", "--chip", "3")
        let refused = try Tool.bridge("play", "--port", board.port, tap())
        #expect(refused.status == 78)
        #expect(refused.errors.contains("bridge actuator set --port \(board.port) --actuator 0"))
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.status == 0 && info.errors.contains("bridge actuator set --port"))
        let set = try Tool.bridge(
            "actuator", "set", "--json", "--port", board.port, "--kind", "lra", "--resonance",
            "170", "--rated", "2.5", "--overdrive", "3.5", "--name", "thumb")
        #expect(set.status == 0)
        #expect(set.objects.first?["schema"] as? String == "bridge.actuator/1")
        #expect(set.objects.first?["saved"] as? Bool == true)
        #expect(try Tool.bridge("play", "--port", board.port, tap()).status == 0)
        #expect(board.hasDriven)
    }

    @Test func valuesBeyondTheChipAreRefused() throws {
        let outcome = try Tool.bridge(
            "actuator", "set", "--virtual", "--kind", "lra", "--resonance", "170", "--rated", "9",
            "--overdrive", "9.9")
        #expect(outcome.status == 64 && outcome.errors.contains("refuses these values"))
    }

    @Test(arguments: [
        ("VG1040003", "names that begin with VG1040003: VG1040003D"),
        ("vg1040030d", "did you mean VG1040003D?"), ("nothing", "shows the known actuators."),
    ])
    func anUnknownActuatorIsReportedWithTheNearestName(name: String, text: String) throws {
        let outcome = try Tool.bridge("actuator", "set", "--virtual", name)
        #expect(outcome.status == 64 && outcome.errors.contains(text), "\(outcome)")
    }

    @Test func anEnergyBudgetIsKeptAndPredicted() throws {
        let board = try LiveBoard()
        let set = try Tool.bridge(
            "actuator", "set", "--port", board.port, "--kind", "lra", "--resonance", "170",
            "--rated", "2.5", "--overdrive", "3.5", "--sustained", "60", "--full-for", "0.2")
        #expect(set.status == 0)
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 1))
        for time in ["the first time", "the second time"] {
            let play = try Tool.bridge("play", "--port", board.port, path)
            #expect(play.status == 0 && play.errors.contains("budget is used up at 0."))
            #expect(play.output.contains("faults: level limited by the energy budget"), "\(time)")
        }
        let levels = board.transactions.compactMap(\.write).filter { $0.register == 2 }
        #expect(levels.contains { $0.value == 153 }, "60 % of 255")
        #expect(try Tool.bridge("info", "--port", board.port).output.contains("energy budget"))
        let half = try Tool.bridge(
            "actuator", "set", "--virtual", "--kind", "erm", "--rated", "3", "--overdrive", "3.6",
            "--sustained", "60")
        #expect(half.status == 64 && half.errors.contains("--full-for"))
    }

    @Test func anActuatorIsConfiguredByItsNameAndShownWithItsRegisters() throws {
        let board = try LiveBoard("--unconfigured")
        let list = try Tool.bridge("actuator", "list", "--json")
        let parts = try #require(list.objects.first?["actuators"] as? [[String: Any]])
        #expect(parts.contains { $0["name"] as? String == "VG1040003D" })
        let set = try Tool.bridge(
            "actuator", "set", "vg1040003d", "--port", board.port, "--sustained", "60",
            "--full-for", "2")
        #expect(set.status == 0, "\(set)")
        let show = try Tool.bridge("actuator", "show", "--port", board.port)
        #expect(show.output.contains("0x16         0x69  RATED_VOLTAGE"), "\(show)")
        #expect(show.output.contains("0x17         0xa6  OD_CLAMP"))
        for verb in [["info"], ["actuator", "show"]] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), verb + ["--port", board.port]
            ).outcome()
            #expect(
                outcome.output.contains("60 % indefinitely, full level for 2.00 s"), "\(outcome)")
        }
        #expect(try Tool.bridge("actuator", "save", "--port", board.port).status == 0)
        let open = try Tool.bridge(
            "actuator", "set", "SEMCO1030", "--open-loop", "--json", "--port", board.port)
        let actuator = try #require(open.objects.first?["actuator"] as? [String: Any])
        #expect((actuator["registers"] as? String)?.hasPrefix("003d4d") == true, "\(open)")
        #expect(try Tool.bridge("play", "--port", board.port, tap()).status == 0)
        let unknown = try Tool.bridge("actuator", "set", "nothing", "--virtual")
        #expect(unknown.status == 64 && unknown.errors.contains("bridge actuator list"))
    }

    private func set(_ arguments: String..., on board: LiveBoard) throws -> [String: Any] {
        let outcome = try RunningTool(
            Tool.executable("bridge"),
            ["actuator", "set", "--json", "--port", board.port] + arguments
        ).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        return try #require(outcome.objects.first?["actuator"] as? [String: Any], "\(outcome)")
    }

    /// Returns the plant model in the reported data of an actuator, and the names of the model's
    /// estimated values.
    private func plant(of facts: [String: Any]) -> ([Double?], [String]?) {
        let keys = ["time_constant_ms", "acceleration_g", "start_volts", "running_volts"]
        return (keys.map { facts[$0] as? Double }, facts["estimates"] as? [String])
    }

    @Test func thePlantOfANamedActuatorIsShownWithItsEstimates() throws {
        let board = try LiveBoard("--unconfigured")
        var (figures, estimates) = plant(of: try set("B1034.FL45-00-015", on: board))
        #expect(figures == [40, 0.8, 2, 0.8])
        #expect(estimates == ["time_constant_ms", "acceleration_g", "running_volts"])
        let text = try Tool.bridge("actuator", "show", "--port", board.port).output
        #expect(
            text.contains("time constant 40.0 ms (estimate), acceleration 0.80 g (estimate)\n"))
        #expect(text.contains("start 2.00 V, friction 0.80 V (estimate)\n"), "\(text)")
        (figures, estimates) = plant(
            of: try set("VG1040003D", "--quality", "12", on: board))
        #expect(figures == [22.5, 1.5, nil, nil], "12 / (π x 170 Hz)")
        #expect(estimates == ["acceleration_g"])
    }

    @Test func aSpecifiedValueThatIsEqualToTheEstimateIsNotCalledAnEstimate() throws {
        let board = try LiveBoard("--unconfigured")
        let (figures, estimates) = plant(
            of: try set("VG1040003D", "--acceleration", "1.5", on: board))
        #expect(figures[1] == 1.5 && estimates == ["time_constant_ms"])
    }

    @Test func thePlantAloneCanBeChanged() throws {
        let board = try LiveBoard()
        var before = try set("--name", "thumb", on: board)
        let after = try set("--time-constant", "25", "--acceleration", "1.25", on: board)
        (before["time_constant_ms"], before["acceleration_g"]) = (25.0, 1.25)
        #expect(after as NSDictionary == before as NSDictionary)
        let text = try Tool.bridge("actuator", "show", "--port", board.port).output
        #expect(text.contains("time constant 25.0 ms, acceleration 1.25 g\n"), "\(text)")
        #expect(text.contains("thumb"))
        let refused = try Tool.bridge(
            "actuator", "set", "--port", board.port, "--start-voltage", "1")
        #expect(refused.status == 64 && refused.errors.contains("--start-voltage"), "\(refused)")
    }

    @Test func whatNoOptionGivesIsEstimated() throws {
        let board = try LiveBoard("--unconfigured")
        let (figures, _) = plant(
            of: try set(
                "--kind", "erm", "--rated", "3", "--overdrive", "3.6", "--start-voltage", "0.6",
                on: board))
        #expect(figures == [40, 0.8, 0.6, 0.6], "friction is below the starting voltage")
    }

    @Test func theListNamesTheSourceOfEachFigure() throws {
        let list = try Tool.bridge("actuator", "list", "--json")
        let parts = try #require(list.objects.first?["actuators"] as? [[String: Any]])
        for part in parts {
            let figures = Set(part.keys.filter { !(part[$0] is NSNull) })
                .subtracting(["name", "description", "kind", "sources"])
            let sources = try #require(part["sources"] as? [String: String])
            #expect(Set(sources.keys) == figures.filter { part[$0] as? Double != 0 })
        }
    }

    @Test func calibrationAndDiagnosisPassOnAnActuatorThatIsThere() throws {
        let board = try LiveBoard()
        let calibrate = try Tool.bridge("calibrate", "--json", "--port", board.port)
        #expect(calibrate.status == 0, "\(calibrate)")
        let actuator = calibrate.objects.first?["actuator"] as? [String: Any]
        #expect(actuator?["calibration"] as? String == "passed")
        #expect(calibrate.objects.first?["saved"] as? Bool == true)
        #expect(
            try Tool.bridge("diagnose", "--port", board.port).output.contains(
                "is connected and works"))
        #expect(board.isAtRest)
    }

    @Test func aCalibrationIsStoppedByASignal() throws {
        let board = try LiveBoard()
        let tool = try RunningTool(
            Tool.executable("bridge"), ["calibrate", "--port", board.port])
        #expect(wait { board.transactions.contains { $0.write?.register == 0x0C } })
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT) && outcome.errors.contains("at rest"), "\(outcome)")
        #expect(wait { board.isAtRest })
    }

    @Test func monitorPrintsALineForEachLook() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge(
            "monitor", "--json", "--interval", "0.1", "--count", "4", "--port", board.port)
        #expect(outcome.status == 0 && outcome.objects.count == 4, "\(outcome)")
        let times = outcome.objects.compactMap { $0["time_ms"] as? Int }
        #expect(times == times.sorted() && times.last! >= 300)
        for object in outcome.objects {
            #expect(object["schema"] as? String == "bridge.monitor/1")
            #expect(object["clock_bound_us"] as? Int != nil)
            #expect((object["actuators"] as? [[String: Any]])?.count == 1)
        }
        let tool = try RunningTool(
            Tool.executable("bridge"), ["monitor", "--port", board.port])
        #expect(wait { tool.output.contains("no faults") })
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
        #expect(board.end() == 0)
    }

    @Test func aVirtualBoardHasNoLineToResetItBy() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge("reset", "--port", board.port)
        #expect(outcome.status == 64 && outcome.errors.contains("SIGUSR1"))
    }

    @Test(arguments: [[], ["--dry-run"]])
    func aVirtualBoardIsNotFlashed(options: [String]) throws {
        let board = try LiveBoard()
        let outcome = try RunningTool(
            Tool.executable("bridge"),
            ["flash", "--board", "pico", "--port", board.port] + options
        ).outcome()
        #expect(
            outcome.status == 79 && outcome.errors.contains("nothing was written"), "\(outcome)")
    }

    @Test func anActuatorThatDoesNotExistIsRefused() throws {
        for arguments in [["play", "success"], ["actuator", "show"], ["calibrate"]] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), arguments + ["--virtual", "--actuator", "7"]
            ).outcome()
            #expect(outcome.status == 64 && outcome.errors.contains("no actuator 7"), "\(outcome)")
            #expect(outcome.errors.contains("the board has 1 actuator, counted from 0"))
        }
    }

    @Test func aChipThatCannotBeDrivenIsAnError() throws {
        let board = try LiveBoard("--chip", "4")
        let outcome = try Tool.bridge("play", "--port", board.port, tap())
        #expect(
            outcome.status == 81 && outcome.errors.contains("faults: wrong chip"),
            "\(outcome)")
    }

    // MARK: Ports

    @Test func listOpensNothing() throws {
        let board = try LiveBoard("--reset-on-open")
        let outcome = try Tool.bridge("list", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.objects.first?["schema"] as? String == "bridge.list/1")
        // If `list` had opened the port, the board would have been reset a second time.
        let info = try Tool.bridge("info", "--port", board.port)
        #expect(info.output.contains("number 2,"))
    }

    @Test func aPortThatIsNoneIsRefused() throws {
        for path in [folder.path("none"), folder.url.path, "/dev/null"] {
            let outcome = try Tool.bridge("info", "--port", path)
            #expect(outcome.status == 69, "\(path): \(outcome.errors)")
            #expect(outcome.errors.contains("bridge list"))
        }
    }

    @Test func aBoardOfAnotherVersionIsRefused() throws {
        let port = FakePort.fromTheFuture()
        let outcome = try Tool.bridge("info", "--port", port.path)
        #expect(outcome.status == 76 && outcome.errors.contains("update this program"))
    }

    /// Without this check, a board that reports 255 actuators or no room for a frame would be
    /// queried for minutes or forever.
    @Test(arguments: [(255, 192), (0, 192), (1, 0)])
    func aBoardThatViolatesTheProtocolIsRefused(actuators: UInt8, linkWindow: UInt8) throws {
        let port = FakePort.welcoming(actuators: actuators, linkWindow: linkWindow)
        let report = folder.path("report.json")
        for arguments in [
            ["play", try tap()], ["info"], ["doctor"], ["accept", report], ["stop"],
        ] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), arguments + ["--port", port.path]
            ).outcome()
            #expect(outcome.status == 76, "\(arguments): \(outcome)")
            let text = outcome.errors + outcome.output
            #expect(text.contains("the board violates the protocol"), "\(arguments): \(outcome)")
            #expect(text.contains("flash the firmware"), "\(arguments): \(outcome)")
        }
        #expect(access(report, F_OK) != 0)
    }

    @Test func aPortWithoutABoardIsRefused() throws {
        let port = FakePort.silent()
        for arguments in [["play", try tap()], ["info"], ["serve"]] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), arguments + ["--port", port.path]
            ).outcome()
            #expect(outcome.status == 69, "\(arguments): \(outcome)")
            #expect(outcome.errors.contains("nothing was received"), "\(outcome)")
            #expect(outcome.errors.contains("flash the firmware"), "\(outcome)")
        }
    }

    @Test func withoutAnyBoardTheToolSaysWhatItLookedAt() throws {
        let outcome = try Tool.bridge("info")
        guard outcome.status != 0 else { return }  // a board is connected to this computer
        #expect([69, 75, 77].contains(outcome.status))
        #expect(outcome.errors.contains("--port PATH or BRIDGE_PORT"))
    }
}
