// Tests of repairs in the text of a file: the changes that a repair makes, the text that it leaves
// unchanged, and the unchanged meaning.

import TestSupport
import Testing

@testable import AHAP
@testable import JSONText

@Suite struct FixTests {
    private func fixed(
        _ text: String, _ options: AHAPReader.Options = .init(curveTimes: .automatic)
    ) throws -> String {
        String(decoding: try AHAPFixer.fix(Array(text.utf8), options: options).bytes, as: UTF8.self)
    }

    private static let tap = #"{"Event":{"EventType":"HapticTransient","Time":0}}"#

    @Test(arguments: [
        // (original text, repaired text)
        (#"{"Pattern":[\#(tap), ] , }"#, #"{"Pattern":[\#(tap) ]  }"#),
        ("\u{FEFF}// by hand\n{\"Pattern\":[\(tap) /* one */]}", "\n{\"Pattern\":[\(tap) ]}"),
        (#"{"Name":"x", "Pattern":[\#(tap)]}"#, #"{"Pattern":[\#(tap)]}"#),
        (#"{"Pattern":[\#(tap)], "Name":{"a":[1]}}"#, #"{"Pattern":[\#(tap)]}"#),
        (#"{"Pattern":[{"Note":1}, \#(tap), {}]}"#, #"{"Pattern":[\#(tap)]}"#),
        (
            #"{"Pattern":[{"Event":{"EventType":"hapticTransient","Time":0}}]}"#,
            #"{"Pattern":[\#(tap)]}"#
        ),
        (
            #"{"Pattern":[{"Event":{"EventType":"HapticTransient"} , "Parameter":{"ParameterID":"HapticIntensityControl","ParameterValue":1}}]}"#,
            #"{"Pattern":[{"Event":{"EventType":"HapticTransient"} }, { "Parameter":{"ParameterID":"HapticIntensityControl","ParameterValue":1}}]}"#
        ),
        (
            #"{"Pattern":[\#(tap), {"Parameter":{"ParameterID":"Volume","ParameterValue":1}}]}"#,
            #"{"Pattern":[\#(tap)]}"#
        ),
        (
            #"{"Pattern":[\#(tap), {"ParameterCurve":{"ParameterID":"HapticIntensityControl","ParameterCurveControlPoints":[]}}]}"#,
            #"{"Pattern":[\#(tap)]}"#
        ),
    ]) func repairsNothingButWhatIsWrong(written: String, repaired: String) throws {
        #expect(try fixed(written) == repaired)
    }

    private func event(_ parameters: String) -> String {
        #"{"Pattern":[{"Event":{"EventType":"HapticContinuous","EventDuration":1,"EventParameters":[\#(parameters)]}}]}"#
    }

    @Test(arguments: [
        (
            #"{"ParameterID":"HapticIntensity","ParameterValue": 4.64 }"#,
            #"{"ParameterID":"HapticIntensity","ParameterValue": 1.0 }"#
        ),
        (
            #"{"ParameterID":"Sustained","ParameterValue":0.4}"#,
            #"{"ParameterID":"Sustained","ParameterValue":0}"#
        ),
        (
            #"{"ParameterID":"HapticSharpness"}"#,
            #"{"ParameterID":"HapticSharpness", "ParameterValue": 0.422601}"#
        ),
        (
            #"{"ParameterID":"Loudness","ParameterValue":1}, {"ParameterID":"hapticsharpness","ParameterValue":7}"#,
            #"{"ParameterID":"HapticSharpness","ParameterValue":1.0}"#
        ),
    ]) func repairsParameters(written: String, repaired: String) throws {
        #expect(try fixed(event(written)) == event(repaired))
    }

    private func curve(_ time: String, _ points: String) -> String {
        #"{"ParameterCurve":{"ParameterID":"HapticIntensityControl","Time":\#(time),"ParameterCurveControlPoints":[\#(points)]}}"#
    }

    private func point(_ time: String, _ value: String) -> String {
        #"{"Time":\#(time),"ParameterValue":\#(value)}"#
    }

    @Test func putsPointsInOrderWithTheirValues() throws {
        let late = curve("0", "\(point("0.5", "2")) , \(point("0.25", "1")), \(point("1e99", "0"))")
        let text = #"{"Pattern":[\#(Self.tap), \#(late)]}"#
        let order = curve("0", "\(point("0.25", "1")) , \(point("0.5", "1.0"))")
        #expect(try fixed(text) == #"{"Pattern":[\#(Self.tap), \#(order)]}"#)
    }

    @Test func writesTimesOfPointsFromTheirCurve() throws {
        let absolute = ["1.5", "2"].map { curve($0, "\(point($0, "1")), \(point("3", "0"))") }
        let text = #"{"Pattern":[\#(Self.tap), \#(absolute.joined(separator: ","))]}"#
        let relative = [("1.5", "1.5"), ("2", "1.0")].map {
            curve($0.0, "\(point("0.0", "1")), \(point($0.1, "0"))")
        }
        let expected = #"{"Pattern":[\#(Self.tap), \#(relative.joined(separator: ","))]}"#
        #expect(try fixed(text) == expected)
    }

    @Test func aTextThatNeedsNoRepairStaysByteForByte() throws {
        let text = " {\"Pattern\" : [\(Self.tap)\r\n]}\t"
        #expect(try fixed(text) == text)
    }

    /// Checks that a repair keeps a misspelled name, which the author must correct.
    @Test(arguments: [
        #"{"ParameterID":"HapticSharpnes","ParameterValue":0.5}"#,
        #"{"ParameterID":"HapticReleaseTime","ParameterValue":0.5}"#,
    ])
    func aNameThatIsNearlyRightIsKept(parameter: String) throws {
        let event =
            #"{"Event":{"Time":0,"EventType":"HapticTransient","EventParameters":[\#(parameter)]}}"#
        #expect(try fixed(#"{"Pattern":[\#(event),]}"#) == #"{"Pattern":[\#(event)]}"#)
        let entry = #"{"ParameterCurves":{"Time":0}}"#
        let text = #"{"Pattern":[\#(Self.tap),\#(entry)]}"#
        #expect(try fixed(text) == text)
    }

    @Test func aRefusedFileIsNotRepaired() {
        #expect(throws: AHAPError.self) { try fixed(#"{"Pattern":[{"Event":{"Time":0}}]}"#) }
    }

    @Test(arguments: SharedFiles.ahap) func realFilesAreCleanAfterwardsAndMeanTheSame(
        name: String
    ) throws {
        let bytes = try SharedFiles.bytes(name, in: "ahap")
        let options = AHAPReader.Options(curveTimes: .automatic)
        guard let before = try? AHAPReader.read(bytes, options: options) else {
            #expect(throws: AHAPError.self) { try AHAPFixer.fix(bytes) }
            return
        }
        let result = try AHAPFixer.fix(bytes, options: options)
        let after = try AHAPReader.read(result.bytes)
        #expect(after.pattern == before.pattern)
        #expect(after.diagnostics.allSatisfy { $0.severity == .note || $0.isForAuthor })
        #expect(try JSONReader.read(result.bytes, mode: .strict).diagnostics.isEmpty)
        #expect(before.diagnostics.contains { $0.severity == .repair } || result.bytes == bytes)
        #expect(try AHAPFixer.fix(result.bytes).bytes == result.bytes)
    }
}
