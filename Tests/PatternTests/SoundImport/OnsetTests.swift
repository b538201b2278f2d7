// Tests that the importer detects taps at the correct times, and that the intervals between taps
// are long enough for an actuator.

import HapticPatterns
import PatternFormats
import SoundImport
import TestSupport
import Testing

@Suite struct OnsetTests {
    @Test func tapsAreWhereSomethingBeginsInSoundsAboveNoise() throws {
        let scores = try OnsetComparison(noise: 20, seeds: 11..<13)
        for (name, own, reference) in scores.kinds {
            #expect(own.f1 >= 0.9, "\(name): \(own.f1)")
            #expect(own.f1 >= reference.f1, "\(name): \(own.f1), reference \(reference.f1)")
            #expect(abs(own.meanDelay) < 0.008, "\(name): \(own.meanDelay)")
        }
        #expect(scores.own.f1 >= scores.bestReference)
    }

    @Test func otherSampleRatesGiveTheSameTaps() throws {
        for rate in [8_000, 22_050, 44_100, 96_000, 192_000] {
            var sound = SyntheticSound("thuds", seconds: 6, sampleRate: rate)
            for index in 0..<12 {
                sound.add(at: 0.3 + Double(index) * 0.45, lasting: 0.2) { time in
                    SyntheticSound.decaying(time, over: 0.03, hertz: 120)
                }
            }
            var score = OnsetScore()
            score.count(try sound.taps().map { Double($0.time) / 1e6 }, of: sound.onsets)
            #expect(score.f1 >= 0.95, "\(rate) Hz: \(score.hits) of \(score.claimed)")
        }
    }

    @Test func clicksThatAreToBePartedGiveATapEach() throws {
        let clicks = try #require(
            SyntheticSound.hostile(seed: 13).first { $0.name == "30 Hz clicks" })
        let settings = ImportSettings(style: .impacts, density: 1)
        #expect(try clicks.taps(settings).count > 100)
    }

    @Test func noSoundGivesMoreThan60TapsASecond() throws {
        for sound in SyntheticSound.hostile(seed: 13) {
            for style in ImportSettings.Style.allCases {
                // Some styles omit steady noise, so no events remain.
                let taps = try? sound.taps(ImportSettings(style: style, density: 1, gain: 4))
                let times = taps?.map(\.time) ?? []
                for (index, time) in times.enumerated() {
                    let count = times[index...].prefix { $0 < time + 1_000_000 }.count
                    #expect(count <= 60, "\(sound.name), \(style): \(count) from \(time)")
                }
            }
        }
    }

    @Test func strongerAndSharperBlowsAreStrongerAndSharperTaps() throws {
        var sound = SyntheticSound("two", seconds: 2)
        sound.add(at: 0.5, lasting: 0.2) {
            SyntheticSound.decaying($0, over: 0.03, hertz: 90)
        }
        sound.add(at: 1.2, lasting: 0.2) {
            0.25 * SyntheticSound.decaying($0, over: 0.03, hertz: 900)
        }
        let taps = try sound.taps()
        try #require(taps.count == 2)
        #expect(taps[0].intensity > 1.5 * taps[1].intensity)
        #expect(taps[0].sharpness < 0.3 && taps[1].sharpness > 0.7)
    }

    @Test func densityDecidesHowManyTapsThereAre() throws {
        let sound = SyntheticSound.drums(14).noisy(10, seed: 15)
        let counts = try [0, 0.2, 0.5, 1].map { density in
            try sound.taps(ImportSettings(style: .music, density: density)).count
        }
        #expect(counts[0] == 0)
        #expect(counts == counts.sorted() && counts[1] < counts[3], "\(counts)")
    }
}
