// Tests of real AHAP files from public repositories, each with the expected result.

import AHAP
import HapticPatterns
import JSONText
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFiles.ahap.isEmpty, "the folder shared/ahap is missing"))
struct RealFileTests {
    /// The files that are rejected, each with the location and the reason.
    private static let refused: [String: (Remark, AHAPError.Code)] = [
        // An early export from a generator with its own keys ("Events", "Timestamp"). The file only
        // resembles AHAP: if the reader ignored these keys, the pattern would be empty.
        "HanryYu__MeetingPoint__a6010beb":
            (Remark(.missingPattern, 1, 1), .invalidPatternDictionary),
        // The last event lacks its closing brackets. The reader must not guess their positions.
        "williamwei2025__Inflate__c0cf5791": (Remark(.malformedJSON, 3, 1), .invalidPatternData),
    ]

    /// The files that the reader must repair. Strict mode reads all files that are not listed.
    private static let repaired: [String: Set<Diagnostic.Rule>] = [
        // These files contain trailing commas (four of the files are Apple's own samples) or a file
        // header that an editor has added.
        "apple__Bounce": [.trailingComma],
        "apple__Close": [.trailingComma],
        "apple__Open": [.trailingComma],
        "apple__Spin": [.trailingComma],
        "ShreyanshArora__inflate": [.comment],
        // These files contain values out of range, which Core Haptics clamps: 4.64, 10 and 2234 (a
        // frequency in Hz).
        "HanryYu__MeetingPoint": [.clampedValue],
        "HanryYu__MeetingPoint__3ceef939": [.clampedValue],
        "Lofelt__BowRelease": [.clampedValue],
        "fuziki__Boing__b9581af0": [.clampedValue],
        "ryendu__imb": [.clampedValue],
        "samroman3__Success1": [.clampedValue],
        "samroman3__Success1__0828474e": [.clampedValue],
        // An editor has added a "Name" to events, which Core Haptics ignores.
        "n0an__TranscriptionComplete__8b45799e": [.unknownKey, .clampedValue],
        // The events also have a "Name". The time of the last point is the maximum 32-bit number,
        // which means "never".
        "thomasdye12__apx_touch_clip_evergreen": [.unknownKey, .clampedValue, .unreachablePoint],
        // The file contains an invented id, which Core Haptics ignores, so the release time keeps
        // its default value.
        "denizsincar29__harazgay": [.unknownParameterID],
        // The file contains the key "ParameterCurves" in the plural. The file's author created it
        // to test rejection, but the rules are to ignore unknown entries, and the adjacent tap is
        // valid.
        "Lofelt__invalid_fields": [.unknownEntry, .unknownKey],
        "facebook__invalid": [.unknownEntry, .unknownKey],
        // Event types and ids are written in lower camel case. An iPhone may reject these names,
        // but the meaning of the names is unambiguous.
        "ryendu__test-checkpoint": [.misspelledName],
        // In at least two curves, control points are relative to the start of the pattern, and no
        // curve contradicts this interpretation.
        "DemuteStudio__FeelStrikeCharge": [.absoluteCurveTimes],
        "DemuteStudio__FeelStrikeHit": [.absoluteCurveTimes],
        "DemuteStudio__FeelStrikeSuccess": [.absoluteCurveTimes],
        "Lofelt__ahap_from_valid_v0_from_dsp": [.absoluteCurveTimes],
        "Lofelt__valid_v1_multiple_transients": [.absoluteCurveTimes],
        "imedboumalek__victory__dd4ff178": [.absoluteCurveTimes],
        "kmisiewicz__SynthbassAHAP": [.absoluteCurveTimes],
    ]

    /// The files in which the times of only one curve appear to be absolute, so that both
    /// interpretations are possible. These files are read as Apple reads them, with a note.
    private static let absoluteLooking: Set<String> = [
        "Lofelt__17_points", "facebook__multiple_emphasis", "imedboumalek__gong_01__aabc7318",
        "imedboumalek__piano-loop__aeab3cea", "imedboumalek__spring_03__ceba3446",
    ]

    @Test(arguments: SharedFiles.ahap)
    func isReadAsDecided(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        if let (remark, code) = Self.refused[name] {
            let error = #expect(throws: AHAPError.self) { _ = try AHAPReader.read(bytes) }
            #expect(error.map { Remark($0.diagnostic) } == remark)
            #expect(error?.code == code)
        } else {
            let diagnostics = AHAPLinter.lint(bytes, options: .init(curveTimes: .automatic))
            let repairs = Set(diagnostics.filter { $0.severity == .repair }.map(\.rule))
            #expect(repairs == Self.repaired[name] ?? [])
            #expect(diagnostics.allSatisfy { $0.location != nil })
            #expect(!diagnostics.contains { $0.rule == .millisecondTimes })
            let looksAbsolute = diagnostics.contains { $0.rule == .absoluteLookingCurveTimes }
            #expect(looksAbsolute == Self.absoluteLooking.contains(name))
        }
    }

    @Test(arguments: SharedFiles.ahap)
    func strictModeRefusesExactlyWhatNeedsARepair(_ name: String) throws {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        let isClean = Self.refused[name] == nil && Self.repaired[name] == nil
        let options = AHAPReader.Options(strict: true, curveTimes: .automatic)
        let result = try? AHAPReader.read(bytes, options: options)
        #expect((result != nil) == isClean)
    }

    @Test(arguments: SharedFiles.ahap.filter { refused[$0] == nil })
    func survivesWritingAndReading(_ name: String) throws {
        let first = try AHAPReader.read(try SharedFiles.bytes(name, in: "ahap"))
        for layout in [JSONWriter.Layout.compact, .indented] {
            let text = bytes(AHAPWriter.text(of: first.document, layout: layout))
            _ = try JSONReader.read(text, mode: .strict)
            let second = try AHAPReader.read(text)
            #expect(second.document == first.document)
            #expect(second.pattern == first.pattern)
        }
    }

    @Test func thereAre140Files() {
        #expect(SharedFiles.ahap.count == 140)
        #expect(Set(Self.refused.keys).union(Self.repaired.keys).isSubset(of: SharedFiles.ahap))
    }

    @Test func theRepairedReadingOfAbsoluteTimesIsWhatTheirAuthorMeant() throws {
        // The two files contain the same pattern, before and after its author made the points
        // relative to their curves. In the later version, the curves also have fewer points, so
        // individual values differ slightly.
        let after = try pattern("imedboumalek__victory", curveTimes: .relative)
        let repaired = try pattern("imedboumalek__victory__dd4ff178", curveTimes: .automatic)
        let misread = try pattern("imedboumalek__victory__dd4ff178", curveTimes: .relative)
        #expect(meanIntensityDistance(repaired, after) < 0.02)
        #expect(meanIntensityDistance(misread, after) > 0.1)
    }

    private func meanIntensityDistance(_ one: HapticPattern, _ other: HapticPattern) -> Double {
        let one = ControlTimeline(.hapticIntensityControl, of: one)
        let other = ControlTimeline(.hapticIntensityControl, of: other)
        let times = Array(stride(from: Microseconds(0), to: 3_000_000, by: 10_000))
        let sum = times.reduce(0) { $0 + abs(one.value(at: $1) - other.value(at: $1)) }
        return sum / Double(times.count)
    }

    private func pattern(_ name: String, curveTimes: CurveTimes) throws -> HapticPattern {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        return try AHAPReader.read(bytes, options: .init(curveTimes: curveTimes)).pattern
    }
}
