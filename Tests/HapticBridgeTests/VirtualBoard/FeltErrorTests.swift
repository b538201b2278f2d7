// Tests of the difference between the perceived vibration and the designed vibration.

import HapticCompiler
import HapticPatterns
import Testing

@testable import Prediction

@Suite struct FeltErrorTests {
    private static let hum = HapticEvent(
        .hapticContinuous, time: 100_000, duration: 200_000, intensity: 0.5, sharpness: 0)
    private static let tap = HapticEvent(
        .hapticTransient, time: 50_000, intensity: 1, sharpness: 1)

    private func design(_ events: [HapticEvent]) -> FeltDesign {
        FeltDesign(HapticPattern(events: events))
    }

    private func index(_ milliseconds: Int) -> Int { FeltDesign.ahead + milliseconds }

    @Test func aLevelMayComeEarlyOrLate() {
        let design = design([Self.hum])
        let half = FeltDesign.steps(of: 0.5)
        #expect(design.count == FeltDesign.ahead + 300 + FeltDesign.beyond)
        #expect(design.upper[index(75)] == 0 && design.upper[index(76)] == half)
        #expect(design.lower[index(123)] == 0 && design.lower[index(124)] == half)
        #expect(design.lower[index(275)] == half && design.lower[index(276)] == 0)
        #expect(design.upper[index(323)] == half && design.upper[index(324)] == 0)
        #expect(design.taps.isEmpty)
    }

    @Test func aTapNeedNotBeFeltBeforeOrAfterItsPeak() throws {
        let design = design([Self.tap, Self.hum])
        let tap = try #require(design.taps.first)
        #expect(design.taps.count == 1)
        #expect(tap.window == index(50)..<index(75), "the window ends halfway to the next event")
        let full = FeltDesign.steps(of: 1)
        #expect(tap.wanted == full...full)
        #expect(design.lower[index(0)...index(100)].allSatisfy { $0 == 0 })
        #expect(design.upper[index(25)] == 0)
        #expect(design.upper[index(26)...index(93)].allSatisfy { $0 == full })
    }

    @Test func tapsOfOneMillisecondAreOne() throws {
        var (weak, other) = (Self.tap, Self.tap)
        (weak.intensity, other.time) = (0.3, 50_900)
        let tap = try #require(design([weak, other]).taps.first)
        #expect(design([weak, other]).taps.count == 1)
        #expect(tap.window == index(50)..<index(150))
        #expect(tap.wanted.lowerBound == FeltDesign.steps(of: 1))
    }

    @Test func theLevelOfItsWindowIsNoFaultOfATap() throws {
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: [.init(time: 0, value: 0.5), .init(time: 100_000, value: 1)])
        var (hum, tap) = (Self.hum, Self.tap)
        (hum.time, hum.intensity, tap.time, tap.intensity) = (0, 1, 20_000, 0.1)
        let design = FeltDesign(HapticPattern(events: [hum, tap], curves: [curve]))
        let wanted = try #require(design.taps.first).wanted
        #expect(abs(wanted.lowerBound - FeltDesign.steps(of: 0.6)) < 1e-9)
        #expect(abs(wanted.upperBound - FeltDesign.steps(of: 1)) < 1e-9)
    }

    private func felt(_ level: Double, from start: Int, to end: Int) -> [Double] {
        (0..<600).map { start <= $0 && $0 < end ? level : 0 }
    }

    @Test func aConstantDelayIsFree() {
        let design = design([Self.hum])
        for delay in [0, 40, 100] {
            let felt = felt(0.5, from: 100 + delay, to: 300 + delay)
            #expect(FeltError(of: felt, against: design).mean == 0)
        }
        let late = felt(0.5, from: 260, to: 460)
        #expect(FeltError(of: late, against: design).mean > 1)
    }

    @Test func oneStepTooStrongIsOneStep() {
        let design = design([Self.hum])
        let error = FeltError(of: felt(0.6, from: 90, to: 310), delay: 0, against: design)
        // The design of the pattern lasts 248 ms, and the vibration is perceived for 220 ms.
        #expect(abs(error.levels - 220.0 / 248) < 1e-9)
        #expect(error.mean == error.levels && error.taps == 0)
    }

    @Test func thePeakOfATapCounts() {
        let design = design([Self.tap])
        let error = FeltError(of: felt(1 / 1.44, from: 45, to: 60), delay: 0, against: design)
        #expect(abs(error.taps - 2) < 1e-9)
        #expect(error.levels == 0)
        #expect(abs(error.mean - 2 * 100.0 / 168) < 1e-9, "a tap counts as much as 100 ms")
        let missed = FeltError(of: [], against: design)
        #expect(abs(missed.taps - 18.99) < 0.01)
    }
}
