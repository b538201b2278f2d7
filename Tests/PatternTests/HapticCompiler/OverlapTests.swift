// Tests of the algorithm that determines which of many simultaneous events are perceived, without
// comparing every pair of events.

import HapticPatterns
import TestSupport
import Testing

@testable import HapticCompiler

@Suite struct OverlapTests {
    @Test func manyLongEventsUnderALongCurveAreCompiled() {
        expectLittleProcessorTime {
            let count = 10_000
            let events = (0..<count).map { index in
                let intensity: Double = Double(index % 100 + 1) / 100
                return HapticEvent(
                    .hapticContinuous, time: Microseconds(index) * 100, duration: 80_000_000_000,
                    intensity: intensity)
            }
            let points = (0..<count).map {
                HapticParameterCurve.Point(
                    time: Microseconds($0) * 8_000_000, value: Double($0 % 2) / 2)
            }
            let pattern = HapticPattern(
                events: events, curves: [.init(.hapticIntensityControl, time: 0, points: points)])
            let voice = PatternVoice(pattern, endless: .limited)
            let mixed = MixedPattern(pattern)
            #expect(voice.end == 80_000_999_900)
            #expect(mixed.pieces.count < 4 * count)
            #expect(
                HapticCompiler.compile(pattern).report.items(of: .mixedByMaximum).count == count)
        }
    }

    /// Checks the definition at every instant: the greatest level is perceived. If several levels
    /// are equal, the level of the latest event is perceived.
    @Test(arguments: 0..<40)
    func theLoudestIsFeltAtEveryInstant(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pattern = RandomPattern.pattern(using: &generator)
        let controls = PatternControls(of: pattern, options: CompilerOptions(), endless: .limited)
        let shapes = pattern.events.enumerated().filter { $0.element.type == .hapticContinuous }
            .map { ContinuousShape(of: $0.element, source: $0.offset, controls: controls) }
        for piece in MixedPattern(pattern).pieces {
            let time = piece.start + (piece.end - piece.start) / 2
            let control = controls.intensity.value(at: time)
            let levels = shapes.map { shape in
                let phase = shape.phases.last { $0.start <= time && time < $0.end }
                return (phase?.value(at: time) ?? 0) * shape.event.intensity * control
            }
            // The tolerance is a tenth of a level step for the approximation of curves by lines,
            // plus one microsecond of the steepest rise.
            let difference = piece.level.value(at: time) - (levels.max() ?? 0)
            #expect(abs(difference) < 0.001, "\(time): \(piece) instead of \(levels)")
        }
    }

    @Test func aDayIsComparedInAMomentAndTheErrorOfAShortEventInItIsFound() {
        let day: Microseconds = 86_400_000_000
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: day, intensity: 0.5),
            HapticEvent(.hapticContinuous, time: 1_234_567, duration: 20_000, intensity: 1),
        ])
        let whole = HapticCompiler.compile(pattern)
        let without = HapticCompiler.compile(HapticPattern(events: [pattern.events[0]]))
        #expect(Fidelity(of: whole.events, against: pattern).level < 1)
        #expect(Fidelity(of: without.events, against: pattern).level > 100)
    }
}
