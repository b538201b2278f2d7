// Tests of `bridge lint` in pipelines: one JSON object for each file, and a location for each
// diagnostic.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct LintPlaceTests {
    private let folder = Folder()

    private func lint(_ arguments: String...) throws -> Outcome {
        try RunningTool(Tool.executable("bridge"), ["lint"] + arguments).outcome(within: 600)
    }

    /// Checks that the tool rejects a file with exactly one line of JSON, and that its text output
    /// gives the same location.
    ///
    /// - Parameter place: the expected members `line`, `column` and `byte`, as JSON.
    private func expectRefusal(
        _ path: String, _ rule: String, _ place: String, _ text: String
    ) throws {
        let json = try lint("--json", path)
        #expect(json.status == 65 && json.errors.isEmpty, "\(json)")
        #expect(json.output.split(separator: "\n").count == 1, "\(json)")
        let start = """
            {"schema":"bridge.lint/1","file":"\(path)","errors":1,"repairs":0,"warnings":0,\
            "notes":0,"remarks":[{"rule":"\(rule)","severity":"error",\(place),"pattern_index":null
            """
        #expect(json.output.hasPrefix(start), "\(json)")
        let plain = try lint(path)
        #expect(plain.status == 65 && plain.output.hasPrefix(text + "\n    "), "\(plain)")
    }

    @Test func aRefusedFileOfAnyFormatIsOneLineOfJSONWithItsPlace() throws {
        let haptic = try folder.write(
            "order.haptic",
            """
            {"version":{"major":1},"signals":{"continuous":{"envelopes":{
            "amplitude":[{"time":0.3,"amplitude":0.5},{"time":0.1,"amplitude":0}]}}}}
            """)
        try expectRefusal(
            haptic, "invalid-content", #""line":2,"column":51,"byte":null"#,
            "\(haptic):2:51: error: a breakpoint is earlier than the previous breakpoint "
                + "[invalid-content]")
        let range = try folder.write(
            "range.haptic",
            """
            {"version":{"major":1},"signals":{"continuous":{"envelopes":{
            "amplitude":[{"time":0,"amplitude":1.5},{"time":1,"amplitude":0}]}}}}
            """)
        try expectRefusal(
            range, "illegal-number", #""line":2,"column":36,"byte":null"#,
            "\(range):2:36: error: \"amplitude\" is 1.5; it must be in the range 0 to 1 "
                + "[illegal-number]")
        let xml = try folder.write("effect.xml", "<vibration-effect>\n<waveform-effect")
        let broken = try lint("--json", xml)
        #expect(broken.status == 65 && broken.output.contains(#""rule":"malformed-xml""#))
        #expect(broken.output.contains(#""line":2,"column":"#), "\(broken)")
        let midi = try folder.write("cut.mid", Data("MThd".utf8) + Data([0, 0, 0, 6, 0, 5])).path
        try expectRefusal(
            midi, "invalid-content", #""line":null,"column":null,"byte":8"#,
            "\(midi): byte 8: error: format 5 is not supported [invalid-content]")
    }

    @Test(
        .enabled(if: !files.isEmpty, "the folder of real files is missing: HAPTIC_BRIDGE_SHARED"))
    func aLossOfAFormatIsAWarningWithItsPlace() throws {
        let midi = SharedFiles.folder.appending(path: "cases/midi/too-few.mid").path
        let message = "degraded: the header states a track count of 1, but 2 were found"
        let plain = try lint(midi)
        #expect(plain.status == 0 && plain.errors.isEmpty, "\(plain)")
        #expect(
            plain.output.hasPrefix("\(midi): byte 10: warning: \(message) [format-loss]\n"),
            "\(plain)")
        let json = try lint("--json", "--strict", midi)
        let remark =
            #"{"rule":"format-loss","severity":"error","line":null,"column":null,"byte":10,"#
        #expect(json.status == 65 && json.errors.isEmpty, "\(json)")
        #expect(json.output.contains(remark), "\(json)")
    }

    @Test func aDeviceIsRefusedBeforeItIsOpened() throws {
        let refused = try lint("/dev/zero")
        #expect(refused.status == 66)
        #expect(
            refused.errors
                == "bridge: /dev/zero: a device, not a file\n  to name the port "
                + "of a board, use --port\n"
        )
    }

    @Test func aFileThatIsNoPatternIsOneLineOfJSON() throws {
        let empty = try folder.write("empty.ahap", "")
        try expectRefusal(
            empty, "not-a-pattern", #""line":1,"column":1,"byte":null"#,
            "\(empty):1:1: error: empty [not-a-pattern]")
        let sound = try folder.write(
            "a.wav", Data("RIFF".utf8) + Data([4, 0, 0, 0]) + Data("WAVE".utf8)
        ).path
        try expectRefusal(
            sound, "not-a-pattern", #""line":null,"column":null,"byte":0"#,
            "\(sound): byte 0: error: a sound, not a pattern [not-a-pattern]")
        let compiled = folder.path("a.hbes")
        #expect(try Tool.bridge("compile", "success", "-o", compiled).status == 0)
        try expectRefusal(
            compiled, "not-a-pattern", #""line":null,"column":null,"byte":0"#,
            "\(compiled): byte 0: error: a compiled file, which has no text to check "
                + "[not-a-pattern]")
    }

    @Test func aFileOfAnotherKindIsRefusedWithTheNameOfItsKind() throws {
        let kinds: [(bytes: [UInt8], refusal: String)] = [
            (
                Array("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n".utf8),
                ":1:1: error: a Git LFS pointer, not the file itself"
            ),
            (
                Array("\n<!DOCTYPE HTML>\n<html></html>".utf8),
                ":1:1: error: a web page, not a pattern"
            ),
            (Array("%PDF-1.4\n".utf8), ":1:1: error: a PDF document, not a pattern"),
            ([0x89, 0x50, 0x4E, 0x47, 0, 0], ": byte 0: error: a PNG image, not a pattern"),
            ([0x1F, 0x8B, 8, 0], ": byte 0: error: a gzip archive, not a pattern"),
        ]
        for kind in kinds {
            let path = try folder.write("a.ahap", Data(kind.bytes)).path
            let outcome = try lint(path)
            #expect(outcome.status == 65, "\(outcome)")
            #expect(
                outcome.output.hasPrefix("\(path)\(kind.refusal) [not-a-pattern]\n"), "\(outcome)")
        }
    }

    @Test func aFileOfAnotherFormatIsLintedWhereOnlyAHAPIsRepaired() throws {
        let path = try folder.write(
            "a.json", #"{"timings": [0, 100], "amplitudes": [0, 255]}"#)
        let outcome = try lint("--fix", "--json", path)
        #expect(outcome.status == 65 && outcome.errors.contains("only AHAP files are repaired"))
        #expect(outcome.objects.count == 1, "\(outcome)")
    }

    @Test func aNoteOnAnotherFormatHasThePlaceOfItsTap() throws {
        let path = try folder.write(
            "a.haptic",
            """
            {"version":{"major":1},"signals":{"continuous":{"envelopes":{
            "amplitude":[{"time":0,"amplitude":0.5},
            {"time":1,"amplitude":0.5,"emphasis":{"amplitude":1,"frequency":1}},
            {"time":2,"amplitude":0}],
            "frequency":[{"time":0,"frequency":0},{"time":2,"frequency":1}]}}}}
            """)
        let outcome = try lint("--strict", path)
        #expect(
            outcome.output == """
                \(path):3:38: note: a transient under a sharpness control; Apple documents that \
                transients ignore the control, but iPhones were observed to apply it \
                [transient-under-sharpness-curve]

                """, "\(outcome)")
    }

    // MARK: Files of other authors

    private static let files: [String] = ["ahap", "formats", "cases"].flatMap { name in
        let folder = SharedFiles.folder.appending(path: name)
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (all?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
            .map(\.path).sorted()
    }

    /// Checks that each location in the result for one file is either a line and a column, or a
    /// byte.
    private func expectPlaces(_ result: [String: Any]) throws {
        #expect(result["schema"] as? String == "bridge.lint/1")
        let remarks = try #require(result["remarks"] as? [[String: Any]])
        for remark in remarks {
            let isText = remark["line"] is Int && remark["column"] is Int
            #expect(isText != (remark["byte"] is Int), "\(result["file"] ?? ""): \(remark)")
            #expect((remark["rule"] as? String)?.isEmpty == false)
        }
        let errors = remarks.count { $0["severity"] as? String == "error" }
        #expect(result["errors"] as? Int == errors)
    }

    @Test(
        .enabled(if: !files.isEmpty, "the folder of real files is missing: HAPTIC_BRIDGE_SHARED"))
    func everyFileOfOthersIsOneLineOfJSONAndEveryRemarkHasAPlace() throws {
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["lint", "--json"] + Self.files
        ).outcome(within: 600)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.objects.count == lines.count)
        #expect(outcome.objects.map { $0["file"] as? String } == Self.files)
        for result in outcome.objects { try expectPlaces(result) }
        #expect(outcome.objects.contains { $0["errors"] as? Int != 0 })
    }

    @Test(
        .enabled(if: !files.isEmpty, "the folder of real files is missing: HAPTIC_BRIDGE_SHARED"))
    func unitsAndMisplacedParametersAreNamed() throws {
        let lint = SharedFiles.folder.appending(path: "cases/lint")
        let milliseconds = lint.appending(path: "msunits.ahap").path
        #expect(
            try self.lint(milliseconds).output.contains(
                "\(milliseconds):1:118: note: times look like milliseconds: all are whole numbers, "
                    + "up to 340; AHAP counts in seconds [millisecond-times]\n"))
        let misplaced = lint.appending(path: "controlonevent.ahap").path
        let lines = try self.lint(misplaced).output.split(separator: "\n").map(String.init)
        let start = lines.firstIndex { $0.contains("misplaced-parameter") } ?? 0
        #expect(
            Array(lines.dropFirst(start).prefix(4)) == [
                "\(misplaced):1:145: repair: \"HapticIntensityControl\" is a parameter of the whole "
                    + "pattern, not of an event, and is ignored [misplaced-parameter]",
                "    write \"HapticIntensity\" here, or put it into a \"Parameter\" or a "
                    + "\"ParameterCurve\" of \"Pattern\"",
                "\(misplaced):1:230: repair: \"HapticIntensity\" is a parameter of an event, not of "
                    + "the whole pattern, and is ignored [misplaced-parameter]",
                "    write \"HapticIntensityControl\" here, or put it into the \"EventParameters\" "
                    + "of an event",
            ], "\(lines)")
    }
}
