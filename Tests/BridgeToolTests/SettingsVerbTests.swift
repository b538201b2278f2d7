// The user's settings at the command line: play behaves as the doctor reports them.

import Foundation
import TestSupport
import Testing

@Suite struct SettingsVerbTests {
    private let folder = Folder()

    private func bridge(_ arguments: String..., settings: String) throws -> Outcome {
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "haptic-bridge"), withIntermediateDirectories: true)
        _ = try folder.write("haptic-bridge/settings.json", settings)
        return try RunningTool(
            Tool.executable("bridge"), arguments + ["--virtual"],
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

    @Test func settingsThatChangeNothingAreNotMentioned() throws {
        let outcome = try bridge("doctor", settings: #"{"haptics": true, "gain": 1}"#)
        #expect(outcome.status == 0 && !outcome.output.contains(file), "\(outcome)")
    }

    @Test func settingsThatPlayRefusesAreAProblemInTheSameWords() throws {
        let settings = #"{"gain": 2}"#
        let play = try bridge("play", "success", settings: settings)
        let doctor = try bridge("doctor", settings: settings)
        #expect(play.status == 65 && doctor.status == 65, "\(doctor)")
        let words = "\(file):1:10: a number from 0 to 1 is expected"
        #expect(play.errors.contains(words) && doctor.output.contains("problem  \(words)"))
        #expect(doctor.output.contains("actuator 0 is at rest"), "nothing else is left out for it")
    }
}
