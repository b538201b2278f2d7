// Tests of the times of control points, which are relative either to the curve or to the start of
// the pattern.

import AHAP
import HapticPatterns
import Testing

struct CurveTimesTests {
    private static let id = "HapticIntensityControl"
    private static let early = curve(id, "1", ("0", "1"), ("0.5", "0"))
    private static let first = curve(id, "1", ("1", "1"), ("1.5", "0"))
    private static let second = curve(id, "2", ("2", "1"), ("2.5", "0"))
    private static let atZero = curve(id, "0", ("0", "1"), ("0.5", "0"))

    private func times(_ result: AHAPReader.Result) -> [[Microseconds]] {
        result.pattern.curves.map { curve in curve.points.map { $0.time + curve.time } }
    }

    @Test func pointsCountFromTheirCurve() throws {
        let result = try read(pattern(tap, Self.early), strict: true)
        #expect(times(result) == [[1_000_000, 1_500_000]])
        #expect(result.pattern.curves[0].points.map(\.time) == [0, 500_000])
        #expect(result.diagnostics.isEmpty)
    }

    @Test func twoCurvesThatShowAbsoluteTimesAndNoneThatDoesNotAreRepaired() throws {
        let result = try read(pattern(tap, Self.atZero, Self.first, Self.second))
        #expect(times(result) == [[0, 500_000], [1_000_000, 1_500_000], [2_000_000, 2_500_000]])
        #expect(result.pattern.curves[1].points[0].time == 0)
        #expect(result.diagnostics.map(\.rule) == [.absoluteCurveTimes])
    }

    @Test(arguments: [[first], [first, early], [first, second, early], [atZero, first]])
    func lessEvidenceIsOnlyANote(_ curves: [String]) throws {
        let result = try read(
            "{\"Pattern\": [\(([tap] + curves).joined(separator: ","))]}", strict: true)
        #expect(times(result).contains([2_000_000, 2_500_000]))
        #expect(result.diagnostics.map(\.rule) == [.absoluteLookingCurveTimes])
    }

    @Test func relativeKeepsCoreHapticsReadingAndNotes() throws {
        let result = try read(pattern(tap, Self.first, Self.second), curveTimes: .relative)
        #expect(times(result) == [[2_000_000, 2_500_000], [4_000_000, 4_500_000]])
        #expect(result.diagnostics.map(\.rule) == [.absoluteLookingCurveTimes])
    }

    @Test func absoluteReadsEveryCurveSoAndIsNoRefusalInStrictMode() throws {
        let lone = curve(Self.id, "1", ("1.25", "1"), ("1.5", "0"))
        let result = try read(pattern(tap, lone), strict: true, curveTimes: .absolute)
        #expect(times(result) == [[1_250_000, 1_500_000]])
        #expect(result.diagnostics.map(\.rule) == [.absoluteCurveTimes])
        #expect(result.diagnostics.map(\.severity) == [.note])
    }

    @Test func aPointBeforeItsCurveIsPossibleInAbsoluteTimes() throws {
        let result = try read(
            pattern(tap, curve(Self.id, "1", ("0.5", "1"), ("1.5", "0"))), curveTimes: .absolute)
        #expect(times(result) == [[500_000, 1_500_000]])
    }

    @Test func unsortedPointsArePutInOrder() throws {
        let result = try read(
            pattern(tap, curve(Self.id, "0", ("1", "0"), ("0", "1"), ("0.5", "0.2"))))
        #expect(result.pattern.curves[0].points.map(\.value) == [1, 0.2, 0])
    }

    @Test func aPointAtTheEndOfTimeLeavesTheLastValueInForce() throws {
        let result = try read(
            pattern(tap, curve(Self.id, "0", ("0", "0.2"), ("3.4028235e+38", "1"))))
        let timeline = ControlTimeline(.hapticIntensityControl, of: result.pattern)
        #expect(timeline.value(at: 86_400_000_000) == 0.2)
        #expect(result.pattern.length == 0)
    }
}
