// Tests of the output and the exit status of `bridge lint`, `compile` and `dump`.

import Foundation
import TestSupport
import Testing

@Suite struct FileVerbTests {
    let folder = Folder()

    // MARK: lint

    @Test func lintSaysNothingAboutAFileWithoutFault() throws {
        let outcome = try Tool.bridge("lint", folder.write("tap.ahap", Samples.tap))
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
    }

    @Test func lintPrintsPlaceSeverityAndRule() throws {
        let path = try folder.write("bad.ahap", Samples.unknownType)
        let outcome = try Tool.bridge("lint", path)
        #expect(outcome.status == 65)
        #expect(outcome.output.hasPrefix("\(path):2:"))
        #expect(outcome.output.contains(": error: "))
        #expect(outcome.output.contains("[unknown-event-type]"))
    }

    @Test func lintRefusesRepairsOnlyWhenStrict() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        let lenient = try Tool.bridge("lint", path)
        #expect(lenient.status == 0 && lenient.output.contains(": repair: "))
        let strict = try Tool.bridge("lint", "--strict", path)
        #expect(strict.status == 65 && strict.output.contains(": error: "))
    }

    @Test func lintChecksEveryFileAndCountsInJSON() throws {
        let outcome = try Tool.bridge(
            "lint", "--json", folder.write("a.ahap", Samples.unknownType), folder.path("none.ahap"),
            folder.write("b.ahap", Samples.audio), folder.write("c.ahap", Samples.silent))
        #expect(outcome.status == 65)
        #expect(outcome.objects.allSatisfy { $0["schema"] as? String == "bridge.lint/1" })
        #expect(outcome.objects.map { $0["errors"] as? Int } == [1, 0, 0])
        #expect(outcome.objects.dropFirst().first?["notes"] as? Int == 0)
        #expect(outcome.objects.last?["notes"] as? Int == 1)
        #expect(outcome.errors.contains("none.ahap: no such file"))
    }

    @Test func lintWritesRepairsIntoTheFile() throws {
        let path = try folder.write("comma.ahap", Samples.trailingComma)
        let outcome = try Tool.bridge("lint", "--fix", path)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("1 repair written"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Samples.tap)
        #expect(try Tool.bridge("lint", "--strict", path).status == 0)
    }

    /// The messages give the line numbers of the original file.
    @Test func lintNamesWhatARepairRemoves() throws {
        let path = try folder.write(
            "comments.ahap",
            """
            /* of two
            lines */
            { "Version": 1, "Colour": "red",
              "Pattern": [ { "Event": { "Time": 0, "EventType": "HapticTransient" } } ] }
            """)
        let outcome = try Tool.bridge("lint", "--fix", path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("removed: \(path):1:1: "), "\(outcome)")
        #expect(outcome.errors.contains("removed: \(path):3:17: "), "\(outcome)")
        let again = try Tool.bridge("lint", "--fix", path)
        #expect(again.errors.contains("nothing was written"), "\(again)")
        #expect(!again.errors.contains("0 repairs"), "\(again)")
    }

    @Test func lintFindsTheErrorsBehindAWrongVersion() throws {
        let path = try folder.write(
            "version.ahap", #"{ "Version": "1", "Pattern": [ 5, {"Event":{"Time":0}} ] }"#)
        let outcome = try Tool.bridge("lint", path)
        #expect(outcome.status == 65)
        #expect(outcome.output.components(separatedBy: ": error: ").count == 4, "\(outcome)")
        #expect(outcome.output.contains(#"like this: "Version": 1.0"#), "\(outcome)")
        #expect(outcome.output.contains(#"like this: { "Event": {"#), "\(outcome)")
    }

    @Test func anEventWithoutAnEndLastsAsLongAsItIsPlayed() throws {
        let path = try folder.write(
            "endless.ahap",
            #"{"Version":1,"Pattern":[{"Event":{"Time":1,"EventType":"HapticContinuous"}}]}"#)
        let compiled = try Tool.bridge("compile", path, "-o", folder.path("endless.hbes"))
        #expect((compiled.output + compiled.errors).contains("31.00 s"), "\(compiled)")
        let rendered = try Tool.bridge("render", path)
        #expect(rendered.output.contains("31.00 s"), "\(rendered)")
        let lint = try Tool.bridge("lint", path)
        #expect(lint.output.contains("a board ends the event after 30 s"), "\(lint)")
        let convert = try Tool.bridge(
            "convert", folder.path("endless.hbes"), "-o", folder.path("endless.haptic"))
        #expect(convert.status == 65 && convert.errors.contains("a compiled file"), "\(convert)")
    }

    @Test func lintLeavesARefusedFileAsItIs() throws {
        let path = try folder.write("bad.ahap", Samples.unknownType)
        let outcome = try Tool.bridge("lint", "--fix", path)
        #expect(outcome.status == 65 && outcome.output.contains("[unknown-event-type]"))
        #expect(outcome.errors.contains("nothing was written: fix the errors first"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Samples.unknownType)
    }

    @Test(arguments: [[], ["--fix"]])
    func lintSaysEveryErrorWithItsAdvice(options: [String]) throws {
        let path = try folder.write(
            "bad.ahap",
            """
            {"Pattern":[
            {"Event":{"Time":0,"EventType":"HapticTransiant"}},
            {"Event":{"Time":-1,"EventType":"HapticTransient"}}]}
            """)
        let outcome = try RunningTool(Tool.executable("bridge"), ["lint"] + options + [path])
            .outcome()
        #expect(outcome.status == 65)
        #expect(outcome.output.contains("\(path):2:"))
        #expect(outcome.output.contains("write \"HapticTransient\", if that is what you mean"))
        #expect(outcome.output.contains("\(path):3:"))
        #expect(outcome.output.contains("times are seconds from 0 to 86400"), "\(outcome)")
    }

    // MARK: explain

    @Test func explainSaysOfEveryEventWhatBecomesOfIt() throws {
        let path = try folder.write("audio.ahap", Samples.audio)
        let outcome = try Tool.bridge("explain", path)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("HapticTransient  rendered"))
        #expect(outcome.output.contains("1 played by this computer"))
        let object = try #require(try Tool.bridge("explain", "--json", path).objects.first)
        #expect(object["schema"] as? String == "bridge.explain/1")
        let events = object["events"] as? [[String: Any]]
        #expect(events?.map { $0["verdict"] as? String } == ["rendered", "heard"])
        #expect((object["level_error_jnd"] as? Double) ?? 1 < 1)
        #expect((object["sharpness_error_jnd"] as? Double) ?? 1 < 1)
        #expect(object["lost_taps"] as? Int == 0 && object["added_taps"] as? Int == 0)
    }

    @Test func explainSaysWhatModelsOfBothKindsOfActuatorMakeOfEveryEvent() throws {
        let path = try folder.write("buzz.ahap", Samples.buzz(seconds: 1))
        let object = try #require(try Tool.bridge("explain", "--json", path).objects.first)
        let events = try #require(object["events"] as? [[String: Any]])
        let felt = try #require(events.first?["felt"] as? [[String: Any]])
        #expect(felt.map { $0["kind"] as? String } == ["lra", "erm"])
        #expect(felt.allSatisfy { $0["wanted"] as? Double == 0.8 })
        // The LRA reaches the requested level within one second, and its model is linear.
        #expect(felt[0]["felt"] as? Double == 0.8 && (felt[0]["jnd"] as? Double) ?? 1 < 0.1)
        #expect((felt[1]["jnd"] as? Double) ?? 1 < 1)
        let whole = try #require(object["felt"] as? [[String: Any]])
        #expect((whole[0]["within_one_jnd"] as? Double) ?? 0 > 0.9)
    }

    @Test func explainSaysWhatIsNotFelt() throws {
        let weak = Samples.buzz(seconds: 1).replacing("0.8", with: "0.2")
        let outcome = try Tool.bridge(
            "explain", "--profile", "reference", folder.write("weak.ahap", weak))
        #expect(
            outcome.output.contains("not felt on the ERM: too weak or too short to start the motor")
        )
        #expect(!outcome.output.contains("on the LRA:"))
    }

    @Test func explainTakesTheProfileOfABoard() throws {
        let path = try folder.write("buzz.ahap", Samples.buzz(seconds: 1))
        let outcome = try Tool.bridge("explain", "--virtual", "--json", path)
        let object = try #require(outcome.objects.first)
        #expect(object["profile"] as? String == "LRA 170 Hz at virtual board")
        let events = try #require(object["events"] as? [[String: Any]])
        // The report lists the events that a coin LRA cannot render, and contains no prediction for
        // another actuator.
        let why = try #require(events.first?["why"] as? [[String: Any]])
        #expect(why.map { $0["rule"] as? String } == ["sharpness-not-rendered"])
        #expect((object["felt"] as? [Any])?.count == 1)
        #expect(object["sharpness_error"] is NSNull, "none is sent")
        let nobody = try Tool.bridge("explain", "--port", folder.path("none"), path)
        #expect(nobody.status == 69)
    }

    @Test func explainSaysOfANamedPatternThatItIsOne() throws {
        let named = try Tool.bridge("explain", "success")
        #expect(named.output.hasPrefix("success, a named pattern, profile reference (as designed"))
        let path = try folder.write("tap.ahap", Samples.tap)
        #expect(try Tool.bridge("explain", path).output.hasPrefix("\(path), profile reference"))
    }

    @Test func explainRefusesACompiledFile() throws {
        let source = try folder.write("tap.ahap", Samples.tap)
        let compiled = folder.path("tap.hbes")
        #expect(try Tool.bridge("compile", source, "-o", compiled).status == 0)
        #expect(try Tool.bridge("explain", compiled).status == 65)
    }

    // MARK: compile and dump

    @Test func compileWritesAFileThatDumpsLikeItsSource() throws {
        let source = try folder.write("buzz.ahap", Samples.buzz(seconds: 1))
        let compiled = folder.path("buzz.hbes")
        let outcome = try Tool.bridge("compile", source, "-o", compiled)
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("1 exact, 0 degraded, 0 not played"))
        let fromSource = try Tool.bridge("dump", source).output.split(separator: "\n").dropFirst()
        let fromFile = try Tool.bridge("dump", compiled).output.split(separator: "\n").dropFirst()
        #expect(Array(fromSource) == Array(fromFile))
        #expect(fromFile.last?.contains("1000.000  end") == true)
    }

    @Test func compileReportsWhatTheProfileLoses() throws {
        let source = try folder.write("audio.ahap", Samples.audio)
        let outcome = try Tool.bridge("compile", "--json", source, "-o", folder.path("a.hbes"))
        let object = try #require(outcome.objects.first)
        #expect(object["schema"] as? String == "bridge.compile/1")
        #expect(object["sounds_left_out"] as? Int == 1)
        #expect(outcome.errors.contains("1 sound left out"))
    }

    @Test func compileChecksSeveralFilesWithoutWriting() throws {
        let outcome = try Tool.bridge(
            "compile", "--check", "--json", folder.write("a.ahap", Samples.tap),
            folder.write("b.ahap", Samples.audio))
        #expect(outcome.status == 0 && outcome.objects.count == 2)
    }

    @Test func compileToAFolderThatDoesNotExistIsRefused() throws {
        let source = try folder.write("tap.ahap", Samples.tap)
        let outcome = try Tool.bridge("compile", source, "-o", folder.path("none/tap.hbes"))
        #expect(outcome.status == 73)
    }

    @Test func dumpReadsStandardInputAndHasASchema() throws {
        let outcome = try Tool.bridge(
            "dump", "--json", "--bytes", "-", input: Data(Samples.tap.utf8))
        let object = try #require(outcome.objects.first)
        #expect(object["schema"] as? String == "bridge.dump/1")
        #expect(object["file"] as? String == "<stdin>")
        let events = try #require(object["events"] as? [[String: Any]])
        #expect(events.map { $0["event"] as? String } == ["tap", "end"])
        #expect((object["bytes"] as? String)?.hasPrefix("a0") == true)
    }

    @Test func aDamagedCompiledFileIsRefusedWithItsPlace() throws {
        let compiled = folder.path("tap.hbes")
        _ = try Tool.bridge("compile", folder.write("tap.ahap", Samples.tap), "-o", compiled)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: compiled))
        bytes[17] ^= 1
        try folder.write("damaged.hbes", bytes)
        let outcome = try Tool.bridge("dump", folder.path("damaged.hbes"))
        #expect(outcome.status == 65 && outcome.errors.contains("byte 12: damaged"))
    }

    // MARK: Paths that are not files

    @Test(arguments: ["lint", "dump", "play"])
    func everyVerbRefusesWhatIsNoFile(verb: String) throws {
        let options = verb == "play" ? ["--virtual"] : []
        func run(_ path: String, status: Int32, _ message: String) throws {
            let outcome = try RunningTool(Tool.executable("bridge"), [verb] + options + [path])
                .outcome()
            #expect(outcome.status == status, "\(outcome)")
            #expect((outcome.output + outcome.errors).contains(message))
        }
        try run(folder.path("none.ahap"), status: 66, "no such file")
        try run(folder.url.path, status: 66, "a directory")
        try run(folder.write("empty.ahap", ""), status: 65, "empty")
        try run(folder.write("garbage.ahap", Samples.garbage).path, status: 65, "1:1: error")
    }

    @Test func anEnormousFileIsRefusedUnread() throws {
        let path = try folder.write("huge.ahap", "{")
        truncate(path, 65 << 20)
        let outcome = try Tool.bridge("lint", path)
        #expect(outcome.status == 65 && outcome.output.contains("larger than 64 MB"))
    }

    @Test(.enabled(if: getuid() != 0, "root can read every file"))
    func anUnreadableFileIsRefused() throws {
        let path = try folder.write("secret.ahap", Samples.tap)
        chmod(path, 0)
        let outcome = try Tool.bridge("dump", path)
        #expect(outcome.status == 66 && outcome.errors.contains("no permission"))
    }

    @Test func aNamedPatternIsPlayedAndPrintedUnlessAFileHasItsName() throws {
        let played = try Tool.bridge("play", "--virtual", "--json", "success")
        let events = played.objects.first?["events"] as? [String: Any]
        #expect(played.status == 0 && events?["taps"] as? Int == 2)
        let printed = try Tool.bridge("patterns", "success")
        #expect(printed.status == 0)
        #expect(
            try Tool.bridge("lint", "--strict", folder.write("mine", printed.output)).status == 0)
        let line = try Tool.bridge("patterns", "success", "--json")
        #expect(line.output.split(separator: "\n").count == 1 && line.objects.count == 1)
        #expect(
            try Tool.bridge("lint", "--strict", folder.write("line", line.output)).status == 0)
        let listed = try Tool.bridge("patterns", "--json")
        let patterns = try #require(listed.objects.first?["patterns"] as? [[String: Any]])
        #expect(patterns.count == 22)
        #expect(patterns.allSatisfy { $0["meaning"] is String && $0["not_for"] is String })
        let text = try Tool.bridge("patterns").output
        #expect(text.contains("success (0.18 s). Two pulses, the second one longer and stronger."))
        #expect(text.contains("impact-light (a tap). A weak, short pulse."))
        #expect(text.contains("samples:\n  latch (0.07 s). A latch: a light click, then the bolt."))
        #expect(text.components(separatedBy: "    For: ").count == 23)
        #expect(text.components(separatedBy: "    Not for: ").count == 23)
        #expect(try Tool.bridge("patterns", "sucess").status == 64)
        let samples = listed.objects.first?["samples"] as? [[String: Any]]
        let names = try #require(samples).compactMap { $0["name"] as? String }
        let files = PackageFolder.url.appendingPathComponent(
            "Sources/HapticBridge/Samples/Patterns")
        for name in names {
            let file = try Data(contentsOf: files.appendingPathComponent("\(name).ahap"))
            #expect(Data(try Tool.bridge("patterns", name).output.utf8) == file)
            #expect(try Tool.bridge("lint", "--strict", name).status == 0)
        }
        #expect(names.count == 8)
        #expect(try Tool.bridge("play", "--virtual", "latch").status == 0)
        try folder.write("success", Data("{".utf8))
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["lint", "success"], in: folder.url
        ).outcome()
        #expect(outcome.status == 65)
    }

    @Test func profilesAreNamesOrFiles() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        #expect(try Tool.bridge("dump", "--profile", "erm", path).status == 0)
        let outcome = try Tool.bridge("dump", "--profile", folder.path("none"), path)
        #expect(outcome.status == 66 && outcome.errors.contains("reference, lra, erm"))
        let unstored = try RunningTool(
            Tool.executable("bridge"), ["dump", "--profile", "nosuch", path],
            environment: ["XDG_CONFIG_HOME": folder.url.path]
        ).outcome()
        #expect(!unstored.errors.contains("stored fits"), "\(unstored)")
        let stored = URL(filePath: folder.path("haptic-bridge/profiles"))
        try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: true)
        for name in ["left-hand.json", "desk.json", "a note.txt", "notes-file"] {
            try Data("{}".utf8).write(to: stored.appending(path: name))
        }
        let unknown = try RunningTool(
            Tool.executable("bridge"), ["dump", "--profile", "nosuch", path],
            environment: ["XDG_CONFIG_HOME": folder.url.path]
        ).outcome()
        #expect(unknown.status == 66, "\(unknown)")
        #expect(unknown.errors.contains("stored fits: desk, left-hand\n"), "\(unknown)")
        let notAProfile = try Tool.bridge("dump", "--profile", path, path)
        #expect(notAProfile.status == 65)
    }

    @Test func lintSaysWhatToDoAboutAnError() throws {
        let folder = Folder()
        let misspelt = try folder.write(
            "a.ahap", #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransiant"}}]}"#)
        let type = try Tool.bridge("lint", misspelt)
        #expect(
            type.output.hasSuffix("write \"HapticTransient\", if that is what you mean\n"),
            "\(type)")
        let array = try Tool.bridge("lint", try folder.write("b.ahap", "[{}]"))
        #expect(array.output.contains(#"{ "Pattern": [ { "Event": ... } ] }"#), "\(array)")
        let numbers = try Tool.bridge("lint", try folder.write("d.json", "[0, 100]"))
        #expect(numbers.output.contains(#"write {"timings": [...]}"#), "\(numbers)")
        let compiled = folder.path("c.hbes")
        #expect(try Tool.bridge("compile", "success", "-o", compiled).status == 0)
        let outcome = try Tool.bridge("lint", compiled)
        #expect(outcome.status == 65 && outcome.output.contains("a compiled file"), "\(outcome)")
    }
}
