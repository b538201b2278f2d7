// Tests of the excerpt of a pattern that is needed to play a part of the pattern, and of the design
// of a pattern.

import HapticCompiler
import HapticPatterns
import Testing

@testable import Studio

@Suite struct ExcerptTests {
    /// A long pattern of taps and levels with parameters and curves.
    private let pattern = HapticPattern(
        events: (0..<400).map { index in
            let time = Microseconds(index) * 50_000
            return index % 4 == 0
                ? HapticEvent(
                    .hapticContinuous, time: time, duration: 180_000, intensity: 0.8,
                    envelope: Envelope(releaseTime: 0.1))
                : HapticEvent(.hapticTransient, time: time, intensity: 0.5)
        },
        parameters: (0..<20).map {
            HapticDynamicParameter(
                .hapticIntensityControl, time: Microseconds($0) * 900_000,
                value: 0.4 + Double($0 % 3) / 5)
        },
        curves: (0..<8).map {
            HapticParameterCurve(
                .hapticSharpnessControl, time: Microseconds($0) * 2_000_000,
                points: [.init(time: 0, value: -0.5), .init(time: 1_000_000, value: 0.5)])
        })

    @Test(arguments: [0, 1_000_000, 5_930_000, 12_345_678, 19_990_000] as [Microseconds])
    func anExcerptAsksForTheSameInItsStretch(_ start: Microseconds) {
        let end = start + 1_500_000
        let part = pattern.excerpt(from: start, to: end)
        #expect(part.events.count < 80)
        let (whole, excerpt) = (PatternDesign(pattern), PatternDesign(part))
        for time in stride(from: start, to: min(end, 20_000_000), by: 10_000) {
            #expect(whole.level(at: time) == excerpt.level(at: time))
        }
    }

    @Test func aShortPatternIsItsOwnExcerpt() {
        let short = HapticPattern(events: Array(pattern.events.prefix(9)))
        #expect(short.excerpt(from: 0, to: 1) == short)
    }

    @Test func theSamplesAreTheCornersOrAsManyAsThereMayBe() {
        let one = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 100_000, duration: 200_000, intensity: 0.5)
        ])
        let samples = PatternDesign(one).samples(atMost: 100)
        #expect(samples.map(\.time) == [0, 100_000, 100_000, 300_000])
        #expect(samples.map(\.intensity) == [0, 0, 0.5, 0.5])
        #expect(PatternDesign(pattern).samples(atMost: 100).count == 100)
    }

    @Test func theTapNearThePlayheadIsFound() {
        let design = PatternDesign(pattern)
        #expect(design.tap(passedAt: 60_000)?.intensity == 0.2)
        #expect(design.tap(passedAt: 75_000) == nil)
    }
}
