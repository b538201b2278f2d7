// Tests of the haptic channels of sounds, in which the amplitude of the signal becomes a level.

import Foundation
import HapticPatterns
import PatternFormats
import SoundImport
import Testing

@Suite struct HapticChannelTests {
    private static let rate = 48_000

    /// Returns one second of a signal at 150 Hz whose amplitude depends on the time.
    private func channel(_ amplitude: (Double) -> Double) -> [Float] {
        (0..<Self.rate).map { index in
            let time = Double(index) / Double(Self.rate)
            return Float(amplitude(time) * sin(2 * .pi * 150 * time))
        }
    }

    /// Returns a signal with a given amplitude in a time interval and silence outside this
    /// interval.
    private func burst(_ amplitude: Double, from start: Double, to end: Double) -> [Float] {
        channel { $0 >= start && $0 < end ? amplitude : 0 }
    }

    private func pattern(
        _ channels: [[Float]], _ settings: ImportSettings = ImportSettings()
    ) throws -> HapticPattern {
        try SoundImport(hapticChannels: channels, sampleRate: Self.rate).pattern(settings).pattern
    }

    /// Returns the intensities at the given times in milliseconds.
    private func levels(_ pattern: HapticPattern, at times: [Int64]) -> [Double] {
        var levels = Breakpoints(HapticSignal(pattern).intensityPoints)
        return times.map { levels.value(at: $0 * 1_000) ?? 0 }
    }

    /// The levels may differ by 0.1, which is about half of a just-noticeable difference.
    private func isClose(_ levels: [Double], to wanted: [Double]) -> Bool {
        zip(levels, wanted).allSatisfy { abs($0 - $1) < 0.1 }
    }

    @Test func aBurstIsALevelWithItsTimesAndItsAmplitude() throws {
        let pattern = try pattern([burst(0.64, from: 0.1, to: 0.2)])
        #expect(pattern.events.map(\.type) == [.hapticContinuous])
        let levels = levels(pattern, at: [0, 99, 103, 150, 197, 201, 900])
        #expect(isClose(levels, to: [0, 0, 0.8, 0.8, 0.8, 0, 0]), "\(levels)")
    }

    @Test func aLevelFollowsTheAmplitudeAndKeepsPauses() throws {
        let ramp = channel { $0 < 0.5 ? $0 : $0 < 0.53 ? 0 : 0.25 }
        let levels = levels(try pattern([ramp]), at: [100, 250, 400, 515, 540, 900])
        #expect(isClose(levels, to: [0.316, 0.5, 0.632, 0, 0.5, 0.5]), "\(levels)")
    }

    /// Checks two channels whose mean is zero.
    @Test func theStrongestChannelCounts() throws {
        let left = burst(0.25, from: 0.1, to: 0.3)
        let right = burst(0.81, from: 0.2, to: 0.4).map { -$0 }
        let times: [Int64] = [150, 250, 350]
        let both = levels(try pattern([left, right]), at: times)
        #expect(isClose(both, to: [0.5, 0.9, 0.9]), "\(both)")
        let one = levels(
            try pattern([left, right], ImportSettings(channel: .left)), at: times)
        #expect(isClose(one, to: [0.5, 0.5, 0]), "\(one)")
    }

    @Test func theGainMultipliesTheIntensity() throws {
        let levels = levels(
            try pattern([burst(0.64, from: 0.1, to: 0.2)], ImportSettings(gain: 0.5)), at: [150])
        #expect(isClose(levels, to: [0.4]), "\(levels)")
    }

    @Test func noiseAndSilenceAreNotFelt() throws {
        let noise = channel { _ in 0.009 }
        let level = levels(
            try pattern([zip(noise, burst(0.64, from: 0.5, to: 0.6)).map { $0 + $1 }]),
            at: [100, 550, 700])
        #expect(isClose(level, to: [0, 0.8, 0]), "\(level)")
        #expect(throws: FormatError.self) { try pattern([noise]) }
        #expect(throws: FormatError.self) { try pattern([[.nan, .nan]]) }
        #expect(throws: FormatError.self) { try pattern([]) }
        #expect(throws: FormatError.self) {
            try pattern([noise], ImportSettings(channel: .right))
        }
    }
}
