// Tests of the sound of a preview: its pitch, its loudness, and the transitions between its spans.

import HapticBridge
import HapticCompiler
import HapticPatterns
import Testing

@Suite struct PreviewToneTests {
    private static let second: Microseconds = 1_000_000

    private static func level(
        _ level: Double, _ sharpness: Double, until end: Microseconds = second
    ) -> MixedPiece {
        MixedPiece(
            start: 0, end: end, level: Line(from: 0, to: end, level, level),
            sharpness: Line(from: 0, to: end, sharpness, sharpness))
    }

    private static func tap(at time: Microseconds, _ intensity: Double) -> VoiceTap {
        VoiceTap(time: time, intensity: intensity, base: intensity, sharpness: 0.5, source: 0)
    }

    private func rendered(_ span: MixedSpan, count: Int = 48_000) -> [Float] {
        var tone = PreviewTone()
        return tone.render(span, from: 0, count: count)
    }

    /// Returns the number of upward zero crossings of a sound.
    private func periods(_ samples: [Float]) -> Int {
        zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    }

    @Test(arguments: [(0, 110.0), (0.5, 311.0), (1, 880.0)])
    func pitchFollowsSharpness(sharpness: Double, pitch: Double) {
        let samples = rendered(MixedSpan(taps: [], pieces: [Self.level(0.8, sharpness)]))
        #expect(abs(Double(periods(samples)) - pitch) <= 1.5)
    }

    @Test(arguments: [0.1, 0.5, 1]) func amplitudeIsTheIntensity(level: Double) {
        let samples = rendered(MixedSpan(taps: [], pieces: [Self.level(level, 1)]))
        let peak = samples.map(abs).max()!
        #expect(peak <= Float(level) && peak > Float(level) * 0.99)
    }

    @Test func aRisingSharpnessRaisesThePitch() {
        let line = Line(from: 0, to: Self.second, 0, 1)
        let piece = MixedPiece(
            start: 0, end: Self.second, level: Line(from: 0, to: Self.second, 1, 1),
            sharpness: line)
        let samples = rendered(MixedSpan(taps: [], pieces: [piece]))
        let quarters = (0..<4).map { periods(Array(samples[($0 * 12_000)..<(($0 + 1) * 12_000)])) }
        #expect(quarters == quarters.sorted() && quarters[3] > 3 * quarters[0])
    }

    @Test func aTapIsAClickAtItsSampleThatFades() {
        let span = MixedSpan(taps: [Self.tap(at: 100_000, 0.7)], pieces: [])
        let samples = rendered(span)
        #expect(samples.firstIndex { $0 != 0 } == 4_800)
        #expect(abs(samples[4_800] - 0.7) < 0.001)
        #expect(
            samples[(4_800 + 1_920)...].allSatisfy { $0 == 0 }, "the click has faded after 40 ms")
    }

    @Test func spansThatFollowEachOtherSoundLikeOne() {
        let span = MixedSpan(
            taps: [Self.tap(at: 100_000, 1), Self.tap(at: 110_000, 0.4)],
            pieces: [Self.level(0.6, 0.3, until: 300_000)])
        let whole = rendered(span)
        var tone = PreviewTone()
        var parts: [Float] = []
        // Each call requests the frames for a hundredth of a second, as a sound card does.
        for start in stride(from: Microseconds(0), to: Self.second, by: 10_000) {
            let window = start..<(start + 10_000)
            let part = MixedSpan(
                taps: span.taps.filter { window.contains($0.time) },
                pieces: start < 300_000 ? span.pieces : [])
            parts += tone.render(part, from: start, count: 480)
        }
        #expect(parts == whole)
    }

    @Test func nothingIsLouderThanFullScaleOrCracks() {
        let taps = (0..<100).map { Self.tap(at: Microseconds($0) * 7_000, 1) }
        let samples = rendered(MixedSpan(taps: taps, pieces: [Self.level(1, 1)]))
        #expect(samples.allSatisfy { abs($0) <= 1 })
        // No jump occurs at the beginning and the end of a level.
        let level = rendered(MixedSpan(taps: [], pieces: [Self.level(1, 1, until: 500_000)]))
        let jump = zip(level, level.dropFirst()).map { abs($0 - $1) }.max()!
        #expect(jump < 0.13, "the slope of 880 Hz at full scale plus the slope of the rise")
        #expect(level.suffix(20_000).allSatisfy { $0 == 0 })
    }
}
