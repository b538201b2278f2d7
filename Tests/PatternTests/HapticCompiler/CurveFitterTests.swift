// Tests of the curve fitter alone: the positions of its ramps, and the deviation of the ramps from
// the curve.

import TestSupport
import Testing

@testable import HapticCompiler

@Suite struct CurveFitterTests {
    private func fitter(initialValue: UInt8? = 0) -> CurveFitter {
        CurveFitter(tolerance: 0.9, slack: 0.5, initialValue: initialValue)
    }

    @Test func straightCourseIsOneRamp() {
        var fitter = fitter()
        for tick in 1...100 { fitter.pass(tick, Double(tick) * 2) }
        fitter.release(at: 100)
        #expect(fitter.events == [CurveEvent(tick: 0, value: 200, duration: 100)])
    }

    @Test func cornerOfACourseIsAKnot() {
        var fitter = fitter()
        for tick in 1...50 { fitter.pass(tick, Double(tick) * 4) }
        for tick in 51...100 { fitter.pass(tick, Double(100 - tick) * 4) }
        fitter.release(at: 100)
        #expect(
            fitter.events == [
                CurveEvent(tick: 0, value: 200, duration: 50),
                CurveEvent(tick: 50, value: 0, duration: 50),
            ])
    }

    @Test func holdCostsNothing() {
        var fitter = fitter()
        fitter.jump(0, to: 100.4)
        fitter.pass(1_000, 100.4)
        fitter.pass(2_000, 100.9)
        fitter.release(at: 2_000)
        #expect(fitter.events == [CurveEvent(tick: 0, value: 100, duration: 0)])
    }

    @Test func knotIsMetExactly() {
        var fitter = fitter()
        fitter.jump(0, to: 200)
        fitter.pass(100, 100.6)
        fitter.knot(200, 0)
        fitter.knot(400, 0)
        #expect(
            fitter.events == [
                CurveEvent(tick: 0, value: 200, duration: 0),
                CurveEvent(tick: 0, value: 0, duration: 200),
            ])
    }

    @Test func laterJumpAtTheSameTickTakesThePlaceOfTheFirst() {
        var fitter = fitter()
        fitter.jump(10, to: 50)
        fitter.jump(10, to: 80)
        #expect(fitter.events == [CurveEvent(tick: 10, value: 80, duration: 0)])
        fitter.jump(10, to: 0)
        #expect(fitter.events.isEmpty)
    }

    @Test func jumpToThePresentValueIsNone() {
        var fitter = fitter()
        fitter.jump(10, to: 50)
        fitter.jump(20, to: 50.5)
        #expect(fitter.events.count == 1)
    }

    @Test func unknownValueIsAlwaysGiven() {
        var fitter = fitter(initialValue: nil)
        fitter.pass(7, 0)
        #expect(fitter.events == [CurveEvent(tick: 7, value: 0, duration: 0)])
    }

    @Test func rampLongerThanADurationIsParted() {
        var fitter = fitter()
        fitter.pass(StreamTime.longestDelta * 2, 200)
        fitter.release(at: StreamTime.longestDelta * 2)
        #expect(
            fitter.events == [
                CurveEvent(tick: 0, value: 100, duration: StreamTime.longestDelta),
                CurveEvent(
                    tick: StreamTime.longestDelta, value: 200, duration: StreamTime.longestDelta),
            ])
    }

    @Test(arguments: 1...20) func rampsStayNearTheirCourse(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fitter = fitter()
        var course: [(tick: Int, value: Double)] = []
        var value = 0.0
        for step in 1...400 {
            value = min(max(value + .random(in: -12...12, using: &generator), 0), 255)
            course.append((step * Int.random(in: 4...6, using: &generator), value))
        }
        course.sort { $0.tick < $1.tick }
        course = course.enumerated().filter { $0 == 0 || course[$0 - 1].tick < $1.tick }.map(\.1)
        for point in course { fitter.pass(point.tick, point.value) }
        fitter.release(at: course.last!.tick)
        var ramp = CurveEvent(tick: 0, value: 0, duration: 0)
        var from = 0.0
        var next = 0
        for point in course {
            while next < fitter.events.count, fitter.events[next].tick < point.tick {
                from = Double(ramp.value)
                ramp = fitter.events[next]
                next += 1
            }
            let part = min(Double(point.tick - ramp.tick) / Double(max(ramp.duration, 1)), 1)
            let played = from + (Double(ramp.value) - from) * part
            #expect(abs(played - point.value) <= 1.4, "at tick \(point.tick)")
        }
    }
}
