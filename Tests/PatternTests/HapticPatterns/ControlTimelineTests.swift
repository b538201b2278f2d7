// Tests of the value that a control has at every instant.

import HapticPatterns
import TestSupport
import Testing

struct ControlTimelineTests {
    private typealias Point = HapticParameterCurve.Point
    private typealias Segment = ControlTimeline.Segment
    private let id = DynamicParameterID.hapticIntensityControl

    private func parameter(_ time: Microseconds, _ value: Double) -> HapticDynamicParameter {
        HapticDynamicParameter(id, time: time, value: value)
    }

    private func curve(_ time: Microseconds, _ points: (Microseconds, Double)...)
        -> HapticParameterCurve
    {
        HapticParameterCurve(id, time: time, points: points.map { Point(time: $0.0, value: $0.1) })
    }

    private func timeline(
        _ parameters: [HapticDynamicParameter], _ curves: [HapticParameterCurve]
    ) -> ControlTimeline {
        ControlTimeline(id, of: HapticPattern(parameters: parameters, curves: curves))
    }

    private func values(_ timeline: ControlTimeline, _ times: Microseconds...) -> [Double] {
        times.map(timeline.value(at:))
    }

    @Test(arguments: DynamicParameterID.allCases)
    func withoutWritersTheDefaultHoldsForever(_ id: DynamicParameterID) {
        let timeline = ControlTimeline(id, of: HapticPattern())
        #expect(timeline.segments.count == 1 && timeline.segments[0].isConstant)
        #expect(
            values(timeline, -1, 0, .max) == [id.defaultValue, id.defaultValue, id.defaultValue])
    }

    @Test func aParameterChangesAbruptlyAndHolds() {
        let timeline = timeline([parameter(100, 0.5), parameter(200, 0.25)], [])
        #expect(values(timeline, 0, 99, 100, 199, 200, 1_000_000) == [1, 1, 0.5, 0.5, 0.25, 0.25])
    }

    @Test func aCurveIsLinearBetweenItsPointsAndHoldsTheLast() {
        let timeline = timeline([], [curve(100, (0, 0), (100, 0.5), (300, 0.25))])
        #expect(
            values(timeline, 99, 100, 150, 200, 300, 400, 9_999) == [
                1, 0, 0.25, 0.5, 0.375, 0.25, 0.25,
            ])
    }

    @Test func beforeTheFirstPointThePreviousValueStays() {
        let timeline = timeline([parameter(50, 0.5)], [curve(100, (40, 0), (80, 1))])
        #expect(values(timeline, 100, 139, 140, 160) == [0.5, 0.5, 0, 0.5])
    }

    @Test func aCurveOfOnePointIsAStep() {
        let timeline = timeline([], [curve(100, (0, 0.25))])
        #expect(
            timeline.segments == [
                Segment(start: 0, end: 100, startValue: 1, endValue: 1),
                Segment(start: 100, end: .max, startValue: 0.25, endValue: 0.25),
            ])
    }

    @Test func twoPointsAtOneTimeAreAStepToTheLast() {
        let timeline = timeline([], [curve(0, (0, 1), (100, 0.5), (100, 0.1), (200, 0.1))])
        #expect(values(timeline, 50, 99, 100, 150) == [0.75, 0.505, 0.1, 0.1])
    }

    @Test func aLaterCurveOverridesAnEarlierOneForGood() {
        let timeline = timeline(
            [], [curve(0, (0, 0), (1_000, 1)), curve(500, (0, 0.2), (100, 0.3))])
        #expect(
            values(timeline, 250, 500, 550, 600, 900, 2_000) == [0.25, 0.2, 0.25, 0.3, 0.3, 0.3])
        #expect(timeline.segments[0] == Segment(start: 0, end: 500, startValue: 0, endValue: 0.5))
    }

    @Test func aParameterWithinACurveOverridesTheRestOfIt() {
        let timeline = timeline([parameter(500, 0.9)], [curve(0, (0, 0), (1_000, 1))])
        #expect(values(timeline, 499, 500, 999, 1_000) == [0.499, 0.9, 0.9, 0.9])
    }

    @Test func atTheSameInstantACurveOverridesAParameter() {
        let timeline = timeline([parameter(100, 0.9)], [curve(100, (0, 0.1), (100, 0.3))])
        #expect(values(timeline, 99, 100, 150, 300) == [1, 0.1, 0.2, 0.3])
    }

    @Test func ofTwoCurvesOrParametersAtOneInstantTheLaterInTheFileWins() {
        #expect(values(timeline([parameter(5, 0.1), parameter(5, 0.2)], []), 5) == [0.2])
        #expect(
            values(timeline([], [curve(5, (0, 0.1), (9, 1)), curve(5, (0, 0.2))]), 5, 14) == [
                0.2, 0.2,
            ])
    }

    @Test func stepsOf10MicrosecondsKeepTheirTimes() {
        let timeline = timeline([], [curve(0, (0, 0), (1_000_000, 0), (1_000_010, 1))])
        #expect(values(timeline, 1_000_000, 1_000_005, 1_000_010) == [0, 0.5, 1])
    }

    @Test func otherIDsArePassedOver() {
        let pattern = HapticPattern(parameters: [
            .init(.hapticSharpnessControl, time: 0, value: 0.5)
        ])
        #expect(ControlTimeline(id, of: pattern).segments.count == 1)
        #expect(ControlTimeline(.hapticSharpnessControl, of: pattern).value(at: 0) == 0.5)
    }

    @Test func abuttingCurvesMakeOneLineWithoutGap() {
        let timeline = timeline([], [curve(0, (0, 0), (100, 0.5)), curve(100, (0, 0.5), (100, 1))])
        #expect(timeline.segments.map(\.start) == [0, 100, 200])
        #expect(timeline.segments.map(\.end) == [100, 200, .max])
    }

    @Test func aWindowGivesTheSegmentsThatLieInIt() {
        let timeline = timeline([], [curve(0, (0, 0), (100, 0.5), (200, 1))])
        #expect(timeline.segments(in: 0..<100).map(\.start) == [0])
        #expect(timeline.segments(in: 99..<101).map(\.start) == [0, 100])
        #expect(timeline.segments(in: 150..<1_000).map(\.start) == [100, 200])
        #expect(timeline.segments(in: -50..<1).map(\.start) == [0])
        #expect(timeline.segments(in: 5..<5).isEmpty && timeline.segments(in: -5..<0).isEmpty)
    }

    @Test func windowsOneAfterTheOtherSeeWhatTheWholeSees() {
        var numbers = SeededGenerator(seed: 7)
        let parameters = (0..<20).map { _ in
            parameter(.random(in: 0..<5_000, using: &numbers), .random(in: 0...1, using: &numbers))
        }
        let curves = (0..<20).map { _ in
            curve(
                .random(in: 0..<5_000, using: &numbers), (0, 0),
                (.random(in: 0..<900, using: &numbers), 1))
        }
        let timeline = timeline(parameters, curves)
        for start in stride(from: Microseconds(0), to: 6_000, by: 7) {
            for time in start..<(start + 7) {
                let segment = timeline.segments(in: start..<(start + 7)).last { $0.start <= time }
                #expect(segment?.value(at: time) == timeline.value(at: time))
            }
        }
    }

    @Test func aThousandPointsAndTenThousandCurvesAreAllThere() {
        let long = HapticParameterCurve(
            id, time: 0, points: (0..<1_000).map { Point(time: $0 * 1_000, value: Double($0 % 2)) })
        #expect(timeline([], [long]).segments.count == 1_000)
        let many = (0..<10_000).map { curve(Microseconds($0) * 100, (0, 0), (50, 1)) }
        #expect(timeline([], many).segments.count == 20_000)
    }
}
