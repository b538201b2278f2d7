// Tests of the settings that apply at a given time: quiet hours, silence, and changes during
// playback.

import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite(.virtualTime) struct EffectiveHapticsTests {
    private let folder = Folder()

    private static let berlin: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin")!
        return calendar
    }()

    private func date(_ text: String) -> Date {
        try! Date(text, strategy: .iso8601)
    }

    // MARK: Quiet hours

    @Test(arguments: ["22:00-07:00", "00:00-23:59", "09:05-09:06"])
    func hoursAreWrittenAsTheyAreRead(text: String) {
        #expect(QuietHours(text)?.description == text)
    }

    @Test(arguments: [
        "", "22-07", "22:00", "22:00-7:00", "24:00-07:00", "22:60-07:00", "07:00-07:00",
        "-1:00-07:00", "22:00-07:00-08:00", "22:00 - 07:00", "+2:00-07:00", "٢٢:00-07:00",
    ])
    func whatAreNoHoursIsRefused(text: String) { #expect(QuietHours(text) == nil) }

    @Test func hoursMayExtendOverMidnight() {
        let hours = QuietHours("22:00-07:00")!
        // In January, Berlin is one hour ahead of Greenwich.
        for (time, isQuiet) in [
            ("2026-01-10T20:59:59Z", false), ("2026-01-10T21:00:00Z", true),
            ("2026-01-10T23:30:00Z", true), ("2026-01-11T05:59:59Z", true),
            ("2026-01-11T06:00:00Z", false),
        ] {
            #expect(hours.contains(date(time), in: Self.berlin) == isQuiet, "\(time)")
        }
        let next = hours.nextChange(after: date("2026-01-10T22:00:00Z"), in: Self.berlin)
        #expect(next == date("2026-01-11T06:00:00Z"))
    }

    @Test func hoursOfADayAreAsLongAsTheClockOnTheWallSays() {
        let hours = QuietHours("22:00-07:00")!
        // The night before March 29, 2026, is one hour shorter, because clocks are set forward.
        let spring = hours.nextChange(after: date("2026-03-28T21:00:00Z"), in: Self.berlin)
        #expect(spring == date("2026-03-29T05:00:00Z"))
        let autumn = hours.nextChange(after: date("2026-10-24T20:00:00Z"), in: Self.berlin)
        #expect(autumn == date("2026-10-25T06:00:00Z"))
    }

    @Test func anEndThatTheClockSkipsIsReachedWhereItIsPutForward() {
        let hours = QuietHours("01:00-02:30")!
        let end = hours.nextChange(after: date("2026-03-29T00:10:00Z"), in: Self.berlin)
        #expect(end == date("2026-03-29T01:00:00Z"), "2:00, which is skipped and is therefore 3:00")
    }

    @Test func anHourThatComesTwiceIsQuietTwice() {
        let hours = QuietHours("01:00-02:30")!
        var time = date("2026-10-24T22:30:00Z")
        var changes: [Date] = []
        for _ in 0..<4 {
            time = hours.nextChange(after: time, in: Self.berlin)!
            changes.append(time)
        }
        #expect(
            changes == [
                date("2026-10-24T23:00:00Z"), date("2026-10-25T00:30:00Z"),
                date("2026-10-25T01:00:00Z"), date("2026-10-25T01:30:00Z"),
            ])
    }

    // MARK: The effective settings

    @Test func theFirstReasonIsGiven() {
        var settings = HapticSettings()
        let night = date("2026-01-10T23:00:00Z")
        func effect(isSilent: Bool = false) -> EffectiveHaptics {
            settings.effective(at: night, in: Self.berlin, isSilent: isSilent)
        }
        #expect(effect().isFelt && effect().nextChange == nil)
        settings.gain = 0
        #expect(effect().unfelt == .gain && effect().settings.isOn)
        #expect(effect(isSilent: true).unfelt == .silence)
        settings.quietHours = QuietHours("23:00-01:00")
        #expect(effect(isSilent: true).unfelt == .quietHours && !effect().settings.isOn)
        #expect(effect().nextChange == date("2026-01-11T00:00:00Z"))
        settings.isOn = false
        #expect(effect().unfelt == .off)
    }

    // MARK: Changing the file

    @Test func aChangeKeepsEverythingElse() throws {
        let file = try folder.write("settings.json", #"{ "gain": 0.25, "haptics": true }"#)
        try HapticSettings.change(in: file) { $0.isOn = false }
        #expect(
            try String(contentsOfFile: file, encoding: .utf8)
                == "{ \"gain\": 0.25, \"haptics\": false }\n")
        try HapticSettings.change(in: file) { $0.quietHours = QuietHours("22:00-07:00") }
        let read = try HapticSettings(file: file)
        #expect(!read.isOn && read.gain == 0.25 && read.quietHours?.start == 22 * 60)
        try HapticSettings.change(in: file) { $0.quietHours = nil }
        #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("quiet"))
    }

    @Test func aFileAndItsFolderAreMadeAndALinkStaysOne() throws {
        let target = folder.path("deep/er/settings.json")
        try HapticSettings.change(in: target) { $0.gain = 0.5 }
        #expect(try HapticSettings(file: target).gain == 0.5)
        let link = folder.path("link.json")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: target)
        try HapticSettings.change(in: link) { $0.gain = 0.75 }
        #expect(try HapticSettings(file: target).gain == 0.75)
        #expect(
            try FileManager.default.attributesOfItem(atPath: link)[.type] as? FileAttributeType
                == .typeSymbolicLink)
    }

    @Test func aFileThatIsRefusedIsNotChanged() throws {
        let text = #"{ "haptics": "no" }"#
        let file = try folder.write("settings.json", text)
        #expect(throws: HapticSettings.Refusal.self) {
            try HapticSettings.change(in: file) { $0.isOn = false }
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
    }

    // MARK: Watching

    @Test func aWatchNoticesTheFileTheHoursAndSilence() throws {
        let file = folder.path("settings.json")
        let silence = HapticSilence.Folder(path: folder.path("silence"))
        var watch = try SettingsWatch(file: file, silence: silence, at: hostClock.date)
        #expect(watch.present.isFelt && watch.change() == nil)
        try HapticSettings.change(in: file) { $0.gain = 0.5 }
        #expect(watch.change()?.gain == 0.5 && watch.change() == nil)
        let asked = try HapticSilence(in: silence)
        #expect(watch.change()?.unfelt == .silence && watch.change() == nil)
        asked.end()
        #expect(watch.change()?.isFelt == true)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(watch.change() == nil && watch.refusal?.description.contains(":1:2") == true)
        #expect(watch.present.gain == 0.5, "the previous settings remain in force")
        try FileManager.default.removeItem(atPath: file)
        #expect(watch.change()?.gain == 1 && watch.refusal == nil)
        try HapticSettings.change(in: file) { $0.quietHours = QuietHours("00:00-23:59") }
        let noon = Calendar.autoupdatingCurrent.date(
            bySettingHour: 12, minute: 0, second: 0, of: hostClock.date)!
        #expect(watch.change(at: noon)?.unfelt == .quietHours)
    }

    // MARK: Silence

    @Test func silenceLastsUntilTheLastOneEnds() throws {
        let folder = HapticSilence.Folder(path: folder.path("silence"))
        #expect(!folder.isAsked)
        let one = try HapticSilence(in: folder)
        var other: HapticSilence? = try HapticSilence(in: folder)
        #expect(folder.isAsked)
        one.end()
        one.end()
        #expect(folder.isAsked)
        _ = other
        other = nil
        #expect(!folder.isAsked)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func aPipeAmongTheSilencesIsNoneAndHoldsNobodyUp() throws {
        let folder = HapticSilence.Folder(path: folder.path("silence"))
        try folder.create()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(!folder.isAsked)
    }

    @Test func whatAKilledProgramLeavesBehindIsNoSilence() throws {
        let path = folder.path("haptic-bridge/silence")
        let silence = HapticSilence.Folder(path: path)
        let program = try RunningTool(
            Tool.executable("bridge"), ["silence", "600"],
            environment: ["XDG_RUNTIME_DIR": folder.url.path])
        #expect(wait { silence.isAsked })
        #expect(silence.isAsked, "a query does not end the silence")
        program.signal(SIGKILL)
        #expect(wait { !silence.isAsked })
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }
}
