// Tests of the samples for voice coils: frequency, level, edges and limits.

import BridgeLink
import Foundation
import HapticCompiler
import HapticPatterns
import Testing

@testable import HapticBridge

@Suite struct VoiceCoilToneTests {
    private static let second: Microseconds = 1_000_000

    private static func level(
        _ level: Double, _ sharpness: Double = 0.5, from start: Microseconds = 0,
        until end: Microseconds = second
    ) -> MixedPiece {
        MixedPiece(
            start: start, end: end, level: Line(from: start, to: end, level, level),
            sharpness: Line(from: start, to: end, sharpness, sharpness))
    }

    private static func tap(
        at time: Microseconds, _ intensity: Double, _ sharpness: Double = 0.5
    ) -> VoiceTap {
        VoiceTap(
            time: time, intensity: intensity, base: intensity, sharpness: sharpness, source: 0)
    }

    /// Voice coils at full scale, with a band in which the sharpness 0.5 is 150 Hz.
    private static let coils = VoiceCoils(device: "test", band: 75...300, maximumLevel: 0)

    private func rendered(
        on coils: VoiceCoils = coils, taps: [VoiceTap] = [], _ pieces: MixedPiece...,
        gain: Double = 1, count: Int = 48_000
    ) -> [Float] {
        var tone = VoiceCoilTone(coils)
        let window = SoundWindow(start: 0, step: 1_000_000 / 48_000, count: count)
        return tone.render(MixedSpan(taps: taps, pieces: pieces), in: window, gain: gain)
    }

    /// Returns the number of upward zero crossings of a sound.
    private func periods(_ samples: some Sequence<Float>) -> Int {
        zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
    }

    private func peak(_ samples: some Sequence<Float>) -> Float { samples.map(abs).max() ?? 0 }

    /// Returns the peak of the sound's components above 1 kHz: the click that is felt in addition
    /// to a tone.
    private func click(_ samples: [Float]) -> Float {
        let half = 240
        let cutoff = 1_000.0 / 48_000
        let kernel = (-half...half).map { index -> Double in
            let position = Double(index)
            let sinc = index == 0 ? 2 * cutoff : sin(2 * .pi * cutoff * position) / (.pi * position)
            let angle = .pi * position / Double(half)
            return sinc * (0.42 + 0.5 * cos(angle) + 0.08 * cos(2 * angle))
        }
        let padding = [Float](repeating: 0, count: half)
        let padded = padding + samples + padding
        return samples.indices.map { start in
            var low = 0.0
            for index in kernel.indices { low += kernel[index] * Double(padded[start + index]) }
            return abs(samples[start] - Float(low))
        }.max() ?? 0
    }

    // MARK: Frequency

    @Test(arguments: [(0, 50.0), (0.25, 78.25), (0.5, 122.47), (1, 300)])
    func frequencyFollowsSharpnessInEqualRatios(sharpness: Double, frequency: Double) {
        let coils = VoiceCoils(device: "test", band: 50...300, maximumLevel: 0)
        #expect(abs(coils.frequency(ofSharpness: sharpness) - frequency) < 0.01)
        let samples = rendered(on: coils, Self.level(0.8, sharpness))
        #expect(abs(Double(periods(samples)) - frequency) <= 1.5)
    }

    @Test func aChangeOfSharpnessKeepsThePhase() {
        let samples = rendered(
            Self.level(1, 0, until: 501_000), Self.level(1, 1, from: 501_000))
        let jump = zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max()!
        #expect(jump < 0.0393, "the slope of 300 Hz at full scale is 0.0393 per frame")
        #expect(abs(periods(samples[24_500...]) - 147) <= 1)
    }

    // MARK: Level

    @Test func amplitudeIsTheIntensityBelowTheMaximumLevel() {
        let coils = VoiceCoils(device: "test", band: 75...300, maximumLevel: -6)
        #expect(abs(peak(rendered(on: coils, Self.level(1))) - 0.501_2) < 0.000_2)
        #expect(abs(peak(rendered(on: coils, Self.level(0.5))) - 0.250_6) < 0.000_2)
        #expect(abs(peak(rendered(on: coils, Self.level(1), gain: 0.5)) - 0.250_6) < 0.000_2)
    }

    @Test func theResponseIsEqualized() {
        var coils = Self.coils
        coils.response = [
            VoiceCoils.ResponsePoint(frequency: 75, gain: 0.5),
            VoiceCoils.ResponsePoint(frequency: 150, gain: 1),
            VoiceCoils.ResponsePoint(frequency: 300, gain: 0.25),
        ]
        for (frequency, factor) in [(75, 0.5), (150, 0.25), (212.132, 0.5), (300, 1.0)] {
            #expect(abs(coils.equalization(at: frequency) - factor) < 0.000_1)
        }
        #expect(abs(peak(rendered(on: coils, Self.level(1, 0))) - 0.5) < 0.001)
        #expect(abs(peak(rendered(on: coils, Self.level(1, 0.5))) - 0.25) < 0.001)
        #expect(abs(peak(rendered(on: coils, Self.level(1, 1))) - 1) < 0.001)
        let tap = rendered(on: coils, taps: [Self.tap(at: 0, 1, 0.5)], count: 480)
        #expect(abs(peak(tap) - 0.25) < 0.001)
    }

    @Test func nothingExceedsTheMaximumLevel() {
        let taps = (0..<200).map { Self.tap(at: Microseconds($0) * 3_000, 1, Double($0 % 7) / 6) }
        #expect(peak(rendered(taps: taps, Self.level(1, 1))) <= 1)
    }

    // MARK: Taps

    @Test func aTapIsOneAndAHalfPeriodsFromItsFrame() {
        // 100 ms is frame 4800, and 1.5 periods of 150 Hz are 480 frames.
        let samples = rendered(taps: [Self.tap(at: 100_000, 0.7)], count: 9_600)
        #expect(samples[..<4_801].allSatisfy { $0 == 0 })
        #expect(samples[4_801] > 0)
        #expect(abs(samples[4_800 + 240] + 0.7) < 0.001, "the middle is the lowest value")
        #expect(samples[4_800 + 479] != 0)
        #expect(samples[5_280...].allSatisfy { $0 == 0 })
    }

    @Test func aTapBetweenTwoFramesBeginsAtTheSecond() {
        let samples = rendered(taps: [Self.tap(at: 100_001, 1)], count: 9_600)
        #expect(samples.firstIndex { $0 != 0 } == 4_802)
    }

    @Test func windowsThatFollowEachOtherAreLikeOne() {
        let taps = [Self.tap(at: 100_015, 1), Self.tap(at: 110_000, 0.4)]
        let level = Self.level(0.6, 0.3, until: 300_000)
        let whole = rendered(taps: taps, level)
        var tone = VoiceCoilTone(Self.coils)
        var (parts, position) = ([Float](), SoundPosition())
        for index in 0..<500 {
            let window = SoundWindow(
                start: Double(index) * 2_000, step: 1_000_000 / 48_000, count: 96)
            let span = position.advance(to: window)
            let host = span.lowerBound.microseconds..<span.upperBound.microseconds
            parts += tone.render(
                MixedSpan(
                    taps: taps.filter { host.contains($0.time) },
                    pieces: host.lowerBound < 300_000 ? [level] : []), in: window, gain: 1)
        }
        #expect(parts == whole)
    }

    // MARK: Edges

    @Test(arguments: [0, 0.5, 1]) func noEdgeClicksAboveMinus40Decibels(sharpness: Double) {
        let level = Self.level(1, sharpness, from: 100_000, until: 203_000)
        #expect(click(rendered(level, count: 14_400)) < 0.01)
        let taps = [Self.tap(at: 100_000, 1, sharpness), Self.tap(at: 150_000, 1, sharpness)]
        #expect(click(rendered(taps: taps, count: 9_600)) < 0.01)
    }

    @Test func aLevelEndsFourMillisecondsAfterItsEnd() {
        let samples = rendered(Self.level(1, until: 500_000))
        #expect(samples[24_000..<24_100].contains { abs($0) > 0.1 })
        #expect(samples[24_192...].allSatisfy { $0 == 0 })
    }

    @Test func aReleaseEndsATapWithinThreeMillisecondsWithoutAClick() {
        let tap = MixedSpan(taps: [Self.tap(at: 0, 1, 0)], pieces: [])
        var tone = VoiceCoilTone(Self.coils)
        var samples = tone.render(
            tap, in: SoundWindow(start: 0, step: 1_000_000 / 48_000, count: 400), gain: 1)
        #expect(samples.last! != 0)
        tone.release()
        samples += tone.render(
            MixedSpan(taps: [], pieces: []),
            in: SoundWindow(start: 400 / 0.048, step: 1_000_000 / 48_000, count: 400), gain: 1)
        #expect(samples[544...].allSatisfy { $0 == 0 })
        #expect(click(samples) < 0.01)
    }

    @Test func framesGoToTheirChannelsOfADevice() {
        var frames = SoundFrames(count: 2)
        (frames.left, frames.right) = ([0.1, 2], [-0.3, 0.4])
        let both = SoundLayout(channels: [3, 2], count: 4)
        #expect(frames.interleaved(in: both) == [0, 0, -0.3, 0.1, 0, 0, 0.4, 1])
        let one = SoundLayout(channels: [1], count: 2)
        #expect(frames.interleaved(in: one) == [0, 0.1, 0, 1])
    }

    // MARK: Limits

    @Test func outputWithoutAPauseEndsAtTheMaximumDuration() {
        var coils = Self.coils
        coils.maximumDuration = .milliseconds(200)
        var tone = VoiceCoilTone(coils)
        func render(_ piece: MixedPiece?, taps: [VoiceTap] = [], at second: Double) -> [Float] {
            let window = SoundWindow(
                start: second * 1_000_000, step: 1_000_000 / 48_000, count: 48_000)
            let span = MixedSpan(taps: taps, pieces: [piece].compactMap(\.self))
            return tone.render(span, in: window, gain: 1)
        }
        let first = render(Self.level(1), at: 0)
        #expect(peak(first[9_000..<9_600]) > 0.99)
        #expect(first[9_792...].allSatisfy { $0 == 0 } && tone.isLimited)
        // Taps do not count as a pause.
        let taps = [Self.tap(at: 1_500_000, 1)]
        #expect(render(nil, taps: taps, at: 1).allSatisfy { $0 == 0 } && tone.isLimited)
        #expect(render(nil, at: 2).allSatisfy { $0 == 0 } && !tone.isLimited)
        let again = render(Self.level(1, from: 3_000_000, until: 4_000_000), at: 3)
        #expect(peak(again[9_000..<9_600]) > 0.99)
        #expect(again[9_792...].allSatisfy { $0 == 0 })
    }
}
