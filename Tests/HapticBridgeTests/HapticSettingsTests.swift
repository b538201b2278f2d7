// Tests of the user's settings, which the library reads or rejects, and which the tool stores.

import BridgeLink
import Foundation
import HapticCompiler
import POSIX
import SerialPorts
import TestSupport
import Testing

@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct HapticSettingsTests {
    private let folder = Folder()

    private func settings(_ text: String) throws -> HapticSettings {
        try HapticSettings(file: folder.write("settings.json", text))
    }

    @Test func aFileThatIsNotThereChangesNothing() throws {
        #expect(try HapticSettings(file: folder.path("none")) == HapticSettings())
        #expect(try settings("{}") == HapticSettings())
    }

    @Test(arguments: ["", "home", "."])
    func aHomeThatIsNoPathIsThatOfTheListOfUsers(home: String) {
        for name in ["HOME", "XDG_CONFIG_HOME"] {
            HostProgram.current.setVariable(name, to: home)
        }
        let user = String(cString: getpwuid(geteuid()).pointee.pw_dir)
        #expect(HapticSettings.file == "\(user)/.config/haptic-bridge/settings.json")
    }

    @Test func aDelayOfSoundIsReadAndWrittenInSeconds() throws {
        let file = try folder.write("settings.json", #"{ "audioDelay": 0.2 }"#)
        #expect(try HapticSettings(file: file).audioDelay == .milliseconds(200))
        _ = try HapticSettings.change(in: file) { $0.audioDelay = .milliseconds(-150) }
        #expect(folder.text("settings.json").contains(#""audioDelay": -0.15"#))
    }

    @Test func aFileThatIsTooLongIsRefused() throws {
        #expect(try settings("{}" + String(repeating: " ", count: 65_534)) == HapticSettings())
        #expect(throws: HapticSettings.Refusal.self) {
            try settings("{}" + String(repeating: " ", count: 65_535))
        }
    }

    @Test func aLinkToNoFileIsRefusedWithItsTarget() throws {
        let (link, target) = (folder.path("settings.json"), folder.path("none.json"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let refusal = #expect(throws: HapticSettings.Refusal.self) {
            try HapticSettings(file: link)
        }
        #expect(refusal?.description.hasPrefix("\(link): a link to \(target), which") == true)
    }

    @Test func bothKeysAreRead() throws {
        let read = try settings(#"{ "haptics": false, "gain": 0.25 }"#)
        #expect(!read.isOn && read.gain == 0.25)
    }

    @Test(arguments: [
        ("{", "settings.json:1:2: "), ("[]", "settings.json:1:1: an object is expected"),
        (#"{ "gain": 2 }"#, "settings.json:1:11: a number from 0 to 1 is expected"),
        (#"{ "gain": "1" }"#, "settings.json:1:11: a number"),
        (#"{ "haptics": 1 }"#, "settings.json:1:14: true or false"),
        (#"{ "gain": 1, "gain": 0 }"#, "settings.json:1:14: a key that occurs only once"),
        (#"{ "audioDelay": 2 }"#, "settings.json:1:17: a number of seconds from -1 to 1"),
        (
            #"{ "hapitcs": true }"#,
            #"settings.json:1:3: "haptics", "gain", "quiet" or "audioDelay""#
        ),
        (#"{ "hapitcs": true }"#, #"; did you mean "haptics"?"#),
    ])
    func whatIsWrongIsNamedWithItsPlace(text: String, message: String) throws {
        do {
            _ = try settings(text)
            Issue.record("\(text) was read")
        } catch let refusal as HapticSettings.Refusal {
            #expect(refusal.description.contains(message), "\(refusal)")
        }
    }

    private func play(_ settings: String?, _ flags: String...) throws -> (Outcome, [Int]) {
        let board = try LiveBoard()
        let folder = Folder()
        if let settings {
            let home = folder.url.appendingPathComponent("haptic-bridge")
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            try Data(settings.utf8).write(to: home.appendingPathComponent("settings.json"))
        }
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", board.port, "impact-heavy"] + flags,
            environment: ["XDG_CONFIG_HOME": folder.url.path]
        ).outcome()
        return (outcome, board.levels(since: 0))
    }

    @Test func theToolFollowsThemAndItsFlagsOnlyReduceThem() throws {
        #expect(try play(nil).1 == [255])
        #expect(try play(#"{ "gain": 0.5 }"#).1 == [128])
        let limited = try play(#"{ "gain": 0.5 }"#, "--gain", "1")
        #expect(limited.1 == [128] && limited.0.errors.contains("limited to the user's gain"))
        #expect(try play(nil, "--mute").1 == [])
        let off = try play(#"{ "haptics": false }"#, "--gain", "1")
        #expect(off.0.status == 0 && off.1 == [])
        #expect(off.0.errors.contains("haptics are off in"))
        let wrong = try play(#"{ "gain": 5 }"#)
        #expect(wrong.0.status == 65 && wrong.0.errors.contains("settings.json:1:11"))
    }

    @Test func aBoardKeepsToThemAfterAReset() throws {
        let live = try LiveBoard()
        let board = try BoardSearch.connect(port: live.port)
        defer { board.close() }
        var settings = HapticSettings()
        settings.gain = 0.5
        try board.apply(settings)
        live.reset()
        try board.reconnect()
        _ = try board.play(HapticCompiler.compile(SystemFeedback.impactHeavy.pattern.value))
        #expect(live.levels(since: 0) == [128])
    }
}
