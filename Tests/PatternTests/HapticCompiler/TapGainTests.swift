// Tests of taps under an intensity curve: the cases in which the stream keeps the curve, and the
// correctness of the taps.

import HapticCompiler
import HapticPatterns
import TestSupport
import Testing

@Suite struct TapGainTests {
    private func pattern(
        taps: Int, every spacing: Microseconds, from start: Double, to end: Double
    ) -> HapticPattern {
        let length = Microseconds(taps) * spacing
        return HapticPattern(
            events: (0..<taps).map {
                HapticEvent(
                    .hapticTransient, time: Microseconds($0) * spacing, intensity: 0.8,
                    sharpness: 0.5)
            },
            curves: [
                HapticParameterCurve(
                    .hapticIntensityControl, time: 0,
                    points: [.init(time: 0, value: start), .init(time: length, value: end)])
            ])
    }

    @Test func curveOverManyTapsStaysACurve() {
        let compiled = HapticCompiler.compile(
            pattern(taps: 40, every: 50_000, from: 1, to: 0.2))
        #expect(
            compiled.listing.lines.filter { $0.contains("gain") }
                == ["       0.000  tap gain ramp    to 56  in 1950.000"])
        #expect(compiled.bytes.count < 20)
    }

    @Test func curveOverAFewTapsScalesEachOfThem() {
        let compiled = HapticCompiler.compile(
            pattern(taps: 3, every: 50_000, from: 1, to: 0.2))
        #expect(!compiled.listing.description.contains("gain"))
    }

    @Test func tapsUnderAConstantControlAreScaledOneByOne() {
        let compiled = HapticCompiler.compile(
            pattern(taps: 40, every: 50_000, from: 0.5, to: 0.5))
        #expect(!compiled.listing.description.contains("gain"))
        #expect(compiled.events[0].content == .tap(intensity: 102, sharpness: 128))
    }

    @Test func gainReturnsToFullForTapsThatNeedIt() {
        var events = pattern(taps: 40, every: 50_000, from: 1, to: 0.2).events
        events.append(HapticEvent(.hapticTransient, time: 9_000_000, intensity: 1, sharpness: 1))
        let curves = pattern(taps: 40, every: 50_000, from: 1, to: 0.2).curves
        let full = HapticDynamicParameter(.hapticIntensityControl, time: 8_000_000, value: 1)
        let compiled = HapticCompiler.compile(
            HapticPattern(events: events, parameters: [full], curves: curves))
        #expect(
            compiled.events.suffix(3) == [
                StreamEvent(.tapGain(to: 255, duration: 0), at: 36_000),
                StreamEvent(.tap(intensity: 255, sharpness: 255), at: 36_000),
                StreamEvent(.end, at: 36_024),
            ])
    }

    @Test(arguments: 1...30) func everyTapIsWithinTwoOfItsIntensity(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let points = (0..<8).map { index in
            HapticParameterCurve.Point(
                time: Microseconds(index) * 300_000, value: .random(in: 0...1, using: &generator))
        }
        let intensities = (0..<2).map { _ in Double.random(in: 0.1...1, using: &generator) }
        let events = (0..<120).map { index in
            HapticEvent(
                .hapticTransient, time: Microseconds(index) * 20_000,
                intensity: intensities[index % 2], sharpness: 0.5)
        }
        let curve = HapticParameterCurve(.hapticIntensityControl, time: 0, points: points)
        let pattern = HapticPattern(events: events, curves: [curve])
        let exact = NaiveEvaluator(pattern)
        let felt = events.map { exact.intensity(of: $0) * 255 }.filter { $0 >= 0.5 }
        let taps = PlayedStream(HapticCompiler.compile(pattern).events).taps
        #expect(taps.count == felt.count)
        for (tap, intensity) in zip(taps, felt) {
            #expect(abs(Double(tap.intensity) - intensity) <= 2)
        }
    }
}
