// Tests that all commands continue without a sound if a pattern contains a sound that cannot be
// played.

import Foundation
import TestSupport
import Testing

@Suite struct UnplayableSoundTests {
    private let folder = Folder()

    private func bridge(_ arguments: String...) throws -> Outcome {
        try RunningTool(Tool.executable("bridge"), arguments).outcome(within: 60)
    }

    /// Writes a pattern with a tap and, on line 3, a sound.
    private func pattern(_ name: String, sound: String?) throws -> String {
        let path = sound.map { #","EventWaveformPath":"\#($0)""# } ?? ""
        return try folder.write(
            name,
            """
            {"Version":1,"Pattern":[
            {"Event":{"Time":0,"EventType":"HapticTransient"}},
            {"Event":{"Time":0.1,"EventType":"AudioCustom"\(path)}}]}
            """)
    }

    /// The kinds of sounds that cannot be played, and a part of the reason for each.
    private static let kinds: [(sound: String?, reason: String)] = [
        ("none.wav", "none.wav: there is no such sound file"),
        ("garbage.wav", "garbage.wav: this is not a readable sound file"),
        ("../up.wav", "../up.wav: a sound must be in the folder of its pattern"),
        (nil, "an AudioCustom event needs EventWaveformPath"),
        ("", "an AudioCustom event needs EventWaveformPath"),
    ]

    @Test(arguments: kinds)
    func aPatternPlaysWithoutASoundThatCannotBePlayed(sound: String?, reason: String) throws {
        try folder.write("garbage.wav", Samples.garbage)
        let path = try pattern("a.ahap", sound: sound)
        for options in [["--preview"], ["--virtual"]] {
            let played = try RunningTool(
                Tool.executable("bridge"), ["play"] + options + [path]
            ).outcome(within: 60)
            #expect(played.status == 0 && played.output.contains("1 tap"), "\(played)")
            #expect(!played.output.contains("sound"), "\(played)")
            #expect(
                played.errors.contains("\(path):3:10: warning: the sound cannot be played: "),
                "\(played)")
            #expect(played.errors.contains(reason), "\(played)")
            #expect(played.errors.contains("[unplayable-sound]"), "\(played)")
        }
        let silent = try bridge("play", "--virtual", "--no-sound", "--strict", path)
        #expect(silent.status == 0 && !silent.errors.contains("warning"), "\(silent)")
        let strict = try bridge("play", "--virtual", "--strict", path)
        #expect(strict.status == 65 && strict.output.isEmpty, "\(strict)")
        #expect(strict.errors.contains("\(path):3:10: error: the sound"), "\(strict)")
    }

    @Test(.virtualTool, arguments: kinds)
    func lintAndExplainNameTheSoundAndItsPlace(sound: String?, reason: String) throws {
        try folder.write("garbage.wav", Samples.garbage)
        let path = try pattern("a.ahap", sound: sound)
        let lint = try bridge("lint", path)
        #expect(lint.status == 0, "\(lint)")
        #expect(lint.output.hasPrefix("\(path):3:10: warning: the sound cannot be played: "))
        #expect(lint.output.contains(reason), "\(lint)")
        #expect(
            lint.output.hasSuffix(
                "[unplayable-sound]\n    provide the sound, or remove its event\n"))
        let json = try bridge("lint", "--json", path).output
        #expect(json.contains(#""errors":0,"repairs":0,"warnings":1,"notes":0"#), "\(json)")
        #expect(
            json.contains(
                #""rule":"unplayable-sound","severity":"warning","line":3,"column":10,"byte":null,"#
                    + #""pattern_index":1,"#), "\(json)")
        let strict = try bridge("lint", "--strict", path)
        #expect(strict.status == 65 && strict.output.contains(":3:10: error: the sound"))
        let explain = try bridge("explain", "--json", path)
        #expect(explain.status == 0 && explain.errors.contains(":3:10: warning: the sound"))
        let events = try #require(explain.objects.first?["events"] as? [[String: Any]])
        #expect(events.map { $0["verdict"] as? String } == ["rendered", "not-played"])
        #expect(explain.output.contains(#""rule":"unplayable-sound","event":1"#), "\(explain)")
        #expect(explain.objects.first?["heard"] as? Int == 0)
        let text = try bridge("explain", path).output
        #expect(
            text.contains("1 rendered, 0 degraded, 0 not played, 1 sound not played"), "\(text)")
        #expect(try bridge("explain", "--strict", path).status == 65)
    }

    @Test(.virtualTool) func aSaveWithoutItsSoundPlaysUnlessItIsStrict() throws {
        for options in [[], ["--strict"]] {
            let path = try pattern("watched.ahap", sound: "none.wav")
            let board = try LiveBoard()
            let tool = try RunningTool(
                Tool.executable("bridge"),
                ["play", "--watch", "--json", "--port", board.port] + options + [path])
            #expect(wait { tool.output.contains("bridge.save/1") }, "\(tool.errors)")
            let isStrict = !options.isEmpty
            #expect(
                tool.output.contains(isStrict ? #""outcome":"refused""# : #""outcome":"playing""#))
            #expect(tool.output.contains(isStrict ? #""line":3,"column":10"# : #""line":null"#))
            #expect(
                tool.errors.contains(
                    "watched.ahap:3:10: \(isStrict ? "error" : "warning"): the sound cannot be"))
            #expect(wait { board.hasDriven == !isStrict })
            tool.signal(SIGINT)
            #expect(tool.outcome().wasEnded(by: SIGINT))
        }
    }

    /// The patterns of Apple's sampler whose sounds are not published.
    @Test(
        .enabled(if: !SharedFiles.ahap.isEmpty, "the folder shared/ahap is missing"),
        arguments: [
            ("williamwei2025__AppleHapticSampler-Drums", "118:13"), ("yifeiyin__Drums", "200:22"),
        ])
    func applesDrumsPlayWithoutTheirSound(name: String, place: String) throws {
        let path = SharedFiles.folder.appending(path: "ahap/\(name).ahap").path
        let played = try bridge("play", "--virtual", path)
        #expect(played.status == 0, "\(played)")
        #expect(played.errors.contains("\(path):\(place): warning: the sound"), "\(played)")
        #expect(played.errors.lowercased().contains("ahap/drums.wav: there is no such sound file"))
        let lint = try bridge("lint", path)
        #expect(lint.status == 0 && lint.output.contains("\(path):\(place): warning: the sound"))
    }
}
