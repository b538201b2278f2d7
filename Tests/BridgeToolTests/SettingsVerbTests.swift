// Tests of the user's settings on the command line: `bridge play` applies the settings that
// `bridge doctor` reports.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@Suite(.virtualTool) struct SettingsVerbTests {
    private let folder = Folder()

    private func bridge(
        _ command: String, _ arguments: [String] = [], settings: String
    ) throws -> Outcome {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "haptic-bridge"), withIntermediateDirectories: true)
        _ = try folder.write("haptic-bridge/settings.json", settings)
        return try RunningTool(
            Tool.executable("bridge"), [command] + arguments + ["--virtual"],
            environment: ["XDG_CONFIG_HOME": folder.url.path]
        ).outcome()
    }

    private var file: String { folder.path("haptic-bridge/settings.json") }

    @Test(arguments: [
        (#"{"haptics": false}"#, "haptics are off in FILE: nothing will be felt"),
        (#"{"gain": 0.5}"#, "the gain in FILE is 0.5: everything feels weaker"),
    ])
    func settingsThatHaveLessFeltAreRemarkedOn(settings: String, text: String) throws {
        let outcome = try bridge("doctor", settings: settings)
        let remark = "remark   " + text.replacing("FILE", with: file)
        #expect(outcome.status == 0 && outcome.output.contains(remark), "\(outcome)")
    }

    /// Runs the tool with its own folder for settings, and without sound.
    private func tool(_ arguments: String...) throws -> Outcome {
        try started(arguments).outcome()
    }

    private func started(_ arguments: [String]) throws -> RunningTool {
        try RunningTool(
            Tool.executable("bridge"), arguments,
            environment: [
                "XDG_CONFIG_HOME": folder.url.path, "XDG_RUNTIME_DIR": folder.url.path,
            ])
    }

    // MARK: bridge settings

    @Test func anUnknownSettingIsReportedWithTheNearestName() throws {
        let outcome = try tool("settings", "gian", "0.5")
        #expect(outcome.status == 64 && outcome.errors.contains("did you mean gain?"), "\(outcome)")
    }

    @Test func settingsAreShownAndChanged() throws {
        let first = try #require(tool("settings", "--json").objects.first)
        #expect(first["haptics"] as? Bool == true && first["unfelt"] is NSNull)
        #expect(
            !FileManager.default.fileExists(atPath: file), "showing the settings writes nothing")
        #expect(try tool("settings", "gain", "0.5").output.contains("gain         0.5"))
        #expect(
            try tool("settings", "quiet", "22:00-07:00").output.contains("quiet hours  22:00-07:00")
        )
        let off = try tool("settings", "off")
        #expect(off.output.contains("felt now     no: haptics are off in \(file)"), "\(off)")
        #expect(try tool("settings", "quiet", "none").status == 0)
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == "{ \"gain\": 0.5, \"haptics\": false }\n")
    }

    @Test(arguments: [
        ["gain", "2"], ["gain"], ["quiet", "late"], ["on", "off"], ["loud"], ["gain", "nan"],
    ])
    func aChangeThatIsNoneIsRefused(change: [String]) throws {
        let outcome = try started(["settings"] + change).outcome()
        #expect(outcome.status == 64, "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aFileThatIsRefusedIsNotChanged() throws {
        _ = try bridge("doctor", settings: #"{"gain": 2}"#)
        let outcome = try tool("settings", "off")
        #expect(outcome.status == 65 && outcome.errors.contains("\(file):1:10: a number"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == #"{"gain": 2}"#)
    }

    // MARK: The reason for missing haptics

    @Test(
        arguments: [
            (#"{"haptics": false}"#, [], "off"), (#"{"gain": 0}"#, [], "gain"),
            (#"{"quiet": "00:00-23:59"}"#, [], "quiet"), ("{}", ["--mute"], "muted"),
            ("{}", ["--gain", "0"], "gain"), ("{}", [], nil),
        ] as [(String, [String], String?)])
    func playSaysWhyNothingWasFelt(settings: String, options: [String], reason: String?) throws {
        _ = try bridge("doctor", settings: settings)
        let arguments = ["play", "--virtual", "--json", "impact-light"] + options
        let result = try #require(started(arguments).outcome().objects.last)
        #expect(result["ending"] as? String == "played")
        #expect(result["unfelt"] as? String == reason, "\(result)")
    }

    @Test func whatPlaysFallsSilentAndIsFeltAgain() throws {
        let pattern = try folder.write("long.ahap", Samples.buzz(seconds: 5))
        let trace = folder.path("trace.txt")
        let play = try started(["play", "--virtual", "--trace", trace, "--json", pattern])
        func levels() -> [Substring] {
            // A transaction that writes the level has three bytes; a transaction that reads the
            // level has more.
            folder.text("trace.txt").split(separator: "\n").filter {
                let bytes = $0.split(separator: " ").last ?? ""
                return bytes.count == 6 && bytes.hasPrefix("b402")
            }
        }
        #expect(wait { levels().contains { !$0.hasSuffix("b40200") } }, "it is felt")
        let silence = try started(["silence", "60"])
        #expect(wait(seconds: 10) { levels().last?.hasSuffix("b40200") == true }, "it is silent")
        silence.signal(SIGINT)
        #expect(wait(seconds: 10) { levels().last?.hasSuffix("b40200") == false }, "and is not")
        let outcome = play.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("a program requests silence"))
        #expect(outcome.errors.contains("haptics are felt again"))
        #expect(outcome.objects.last?["unfelt"] is NSNull, "a part of the pattern was played")
    }

    // MARK: A preview

    @Test func aPreviewPlaysInItsTimeWithoutABoardAndSaysSo() throws {
        let pattern = try folder.write("short.ahap", Samples.buzz(seconds: 1))
        let began = Link.now()
        let outcome = try tool("play", "--preview", pattern)
        #expect(outcome.status == 0 && Link.now() - began >= 1_000_000, "\(outcome)")
        #expect(outcome.output.contains("nothing was felt: this was a preview"), "\(outcome)")
        let result = try #require(tool("play", "--preview", "--json", "success").objects.first)
        #expect(result["schema"] as? String == "bridge.play/1")
        #expect(result["unfelt"] as? String == "preview" && result["board"] is NSNull)
    }

    @Test(arguments: [["--virtual"], ["--actuator", "1"], ["--port", "/dev/null"]])
    func aPreviewHasNothingOfABoard(options: [String]) throws {
        let outcome = try started(["play", "--preview", "success"] + options).outcome()
        #expect(outcome.status == 64 && outcome.errors.contains("--preview"), "\(outcome)")
    }

    @Test func settingsThatChangeNothingAreNotMentioned() throws {
        let outcome = try bridge("doctor", settings: #"{"haptics": true, "gain": 1}"#)
        #expect(outcome.status == 0 && !outcome.output.contains(file), "\(outcome)")
    }

    @Test(arguments: ["play", "serve"]) func settingsThatAreRefusedEndACommandWithTheCure(
        command: String
    ) throws {
        let arguments = command == "play" ? ["success"] : ["--osc", "0"]
        let outcome = try bridge(command, arguments, settings: #"{"haptisc": false}"#)
        #expect(outcome.status == 65 && outcome.errors.contains("\(file):1:2: "), "\(outcome)")
        #expect(outcome.errors.contains("fix the file, or delete it"), "\(outcome)")
    }

    @Test func settingsThatPlayRefusesAreAProblemInTheSameWords() throws {
        let settings = #"{"gain": 2}"#
        let play = try bridge("play", ["success"], settings: settings)
        let doctor = try bridge("doctor", settings: settings)
        #expect(play.status == 65 && doctor.status == 65, "\(doctor)")
        let words = "\(file):1:10: a number from 0 to 1 is expected"
        #expect(play.errors.contains(words) && doctor.output.contains("problem  \(words)"))
        #expect(doctor.output.contains("actuator 0 is at rest"), "the other checks are performed")
    }
}
