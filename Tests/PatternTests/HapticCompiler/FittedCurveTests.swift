// Tests that a FittedCurve is accurate everywhere, is exact in silence, and has few points.

import Foundation
import HapticCompiler
import HapticPatterns
import Testing

@Suite struct FittedCurveTests {
    private typealias Point = HapticParameterCurve.Point

    /// Returns the value of a piecewise linear curve at a given time.
    private func value(of points: [HapticParameterCurve.Point], at time: Microseconds) -> Double {
        guard let after = points.firstIndex(where: { $0.time >= time }), after > 0 else {
            return points.first?.value ?? 0
        }
        let (left, right) = (points[after - 1], points[after])
        let share = Double(time - left.time) / Double(max(right.time - left.time, 1))
        return left.value + (right.value - left.value) * share
    }

    @Test func linesStayWithinTheToleranceOfEachValue() {
        let curve = (0..<2_000).map { index in
            let (slow, fast): (Double, Double) = (cos(Double(index) / 311), sin(Double(index) / 40))
            return Point(time: Microseconds(index) * 5_300, value: 0.5 + 0.45 * fast * slow)
        }
        let points = FittedCurve.points(curve, from: nil) { 0.1 * $0 }
        for point in curve {
            let error = abs(value(of: points, at: point.time) - point.value)
            #expect(error <= 0.1 * point.value + 1 / 255, "\(point)")
        }
        #expect(points.count < curve.count / 8)
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(points.first?.time == 0)
        #expect(abs((points.last?.time ?? 0) - curve[1_999].time) <= StreamTime.tick)
    }

    @Test func silenceIsSilent() {
        let values = [0, 0.5, 0.5, 0, 0, 0, 0.8, 0.8, 0]
        let curve = values.enumerated().map { Point(time: Microseconds($0) * 100_000, value: $1) }
        let points = FittedCurve.points(curve, from: 0) { _ in 0.2 }
        for (index, wanted) in values.enumerated() where wanted == 0 {
            #expect(value(of: points, at: Microseconds(index) * 100_000) == 0)
        }
        #expect(value(of: points, at: 450_000) == 0)
        #expect(abs(value(of: points, at: 150_000) - 0.5) <= 0.2 + 1 / 255)
    }

    @Test func aCurveOfNoPointsHasNone() {
        #expect(FittedCurve.points([], from: 0) { _ in 0.1 }.isEmpty)
    }
}
