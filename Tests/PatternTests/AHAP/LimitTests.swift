// Tests of limits: the reader rejects files that are too large, and needs time and memory in
// proportion to the size of other files.

import TestSupport
import Testing

@testable import AHAP
@testable import HapticPatterns

@Suite struct LimitTests {
    private static let id = "HapticIntensityControl"

    private func refusal(_ text: String, _ change: (inout AHAPReader.Options) -> Void) -> AHAPError?
    {
        var options = AHAPReader.Options()
        change(&options)
        do throws(AHAPError) {
            _ = try AHAPReader.read(bytes(text), options: options)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileOfMoreBytesThanTheLimitIsRefusedWithBoth() {
        let text = pattern(tap)
        #expect(refusal(text) { $0.mostBytes = text.utf8.count } == nil)
        let error = refusal(text) { $0.mostBytes = 20 }
        #expect(error?.rule == .tooLarge && error?.code == .invalidPatternData)
        #expect(error?.message.contains("\(text.utf8.count) bytes") == true)
        #expect(error?.message.contains("20") == true)
    }

    @Test func theFirstEntryBeyondTheLimitIsThePlaceOfTheRefusal() {
        let text = pattern(tap, tap, "\n" + tap)
        #expect(refusal(text) { $0.mostEvents = 3 } == nil)
        let error = refusal(text) { $0.mostEvents = 2 }
        #expect(error?.rule == .tooLarge && error?.location?.line == 2)
        #expect(error?.message.contains("2 entries") == true)
    }

    @Test func controlPointsCountOverAllCurves() {
        let first = curve(Self.id, "0", ("0", "1"), ("1", "1"))
        let second = curve(Self.id, "2", ("0", "1"), ("1", "1"))
        let text = pattern(tap, first, "\n" + second)
        #expect(refusal(text) { $0.mostControlPoints = 4 } == nil)
        let error = refusal(text) { $0.mostControlPoints = 3 }
        #expect(error?.rule == .tooLarge && error?.code == .badParameterEntry)
        #expect(error?.location?.line == 2 && error?.location?.entryIndex == 2)
    }

    @Test func aFileOfMoreRepairsThanAnyoneReadsIsRefused() {
        let comments = { String(repeating: "/**/", count: $0) + pattern(tap) }
        #expect(refusalByDefault(comments(Report.most)) == nil)
        let error = refusalByDefault(comments(Report.most + 1))
        #expect(error?.rule == .tooLarge)
        #expect(error?.location?.column == Report.most * 4 + 1)
    }

    @Test func notesBeyondTheLimitAreNoReasonToRefuse() throws {
        let keys = Array(repeating: "\"a\": 0", count: Report.most + 10).joined(separator: ",")
        let result = try read("{\"Pattern\": [\(tap)], \"Metadata\": {\(keys)}}")
        #expect(result.diagnostics.count == Report.most)
        #expect(result.diagnostics.allSatisfy { $0.rule == .duplicateKey })
    }

    @Test func aRemarkOnALongNameGivesItsBeginning() throws {
        let name = String(repeating: "n", count: 100_000)
        let result = try read("{\"\(name)\": 0, \"Pattern\": [\(tap)]}")
        #expect(result.diagnostics.map(\.rule) == [.unknownKey])
        #expect(result.diagnostics[0].message.utf8.count < 200)
    }

    /// Checks that no step has a cost that grows with the square of a file's size. Such a step
    /// would need minutes, or all memory, for each of these files.
    @Test(arguments: HostileFile.allCases)
    func aHostileFileIsReadLintedAndRepairedInProportionToItsSize(_ file: HostileFile) throws {
        try expectLittleProcessorTime {
            let bytes = file.bytes(size: 1 << 18)
            let remarks = AHAPLinter.lint(bytes)
            guard let before = try? AHAPReader.read(bytes) else {
                #expect(remarks.contains { $0.severity == .error })
                return
            }
            let fixed = try AHAPFixer.fix(bytes)
            let after = try AHAPReader.read(fixed.bytes, options: .init(strict: true))
            #expect(after.pattern == before.pattern)
        }
    }

    @Test func notesOnManyLongEventsVisitALongCurveOnce() {
        expectLittleProcessorTime {
            let events = (0..<10_000).map {
                HapticEvent(.hapticContinuous, time: Microseconds($0), duration: 80_000_000_000)
            }
            let points = (0..<10_000).map {
                HapticParameterCurve.Point(time: Microseconds($0) * 8_000_000, value: 0.5)
            }
            let pattern = HapticPattern(
                events: events, curves: [.init(.hapticIntensityControl, time: 0, points: points)])
            let notes = AHAPLinter.notes(on: pattern)
            #expect(notes.count { $0.rule == .longWithoutPause } == 1)
            #expect(notes.count { $0.rule == .continuousOver30Seconds } == 10_000)
        }
    }

    @Test func manyParametersOfOneEventAreLookedAtOnce() throws {
        try expectLittleProcessorTime {
            let parameters = [EventParameterID.hapticIntensity, .hapticSharpness].flatMap {
                Array(repeating: AHAPDocument.EventParameter($0, 0.5), count: 100_000)
            }
            let document = AHAPDocument(pattern: [
                .event(.init(.hapticContinuous, eventDuration: 1, eventParameters: parameters))
            ])
            let diagnostics = try AHAPReader.read(document).diagnostics
            #expect(diagnostics.count == Report.most)
        }
    }

    @Test func manyCommentsAndUnknownKeysAreRepairedInOneGo() throws {
        let bytes = HostileFile.commentsAndUnknownKeys.bytes(size: 1 << 16)
        let fixed = try AHAPFixer.fix(bytes)
        #expect(String(decoding: fixed.bytes, as: UTF8.self) == #"{"Pattern":[\#(tapText)]}"#)
        #expect(fixed.fixed.count { $0.rule == .comment } == fixed.fixed.count / 2)
    }

    private let tapText = #"{"Event":{"EventType":"HapticTransient","Time":0}}"#

    /// Returns the error if a text is rejected under the default limits, or nil if the text is
    /// read.
    private func refusalByDefault(_ text: String) -> AHAPError? { refusal(text) { _ in } }
}
