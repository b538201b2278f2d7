// Tests of the import of sounds: the level, the channels, the resulting file, and data that is not
// a sound.

import AHAP
import Foundation
import HapticPatterns
import PatternFormats
import SoundImport
import TestSupport
import Testing

@Suite struct ImportTests {
    private static func bytes(
        _ channels: [[Float]], _ settings: ImportSettings = ImportSettings(), rate: Int = 48_000
    ) throws -> [UInt8] {
        let source = try SoundImport(channels: channels, sampleRate: rate)
        let (pattern, used) = try source.pattern(settings)
        let document = try SoundImport.document(of: pattern, settings: used, name: "sound.wav")
        return Array(AHAPWriter.text(of: document).utf8)
    }

    private static func refusal(_ channels: [[Float]], rate: Int = 48_000) -> String {
        do {
            _ = try bytes(channels, rate: rate)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private static func tone(_ seconds: Double, hertz: Double = 150, swell: Double = 0.5)
        -> SyntheticSound
    {
        var sound = SyntheticSound("tone", seconds: seconds)
        sound.add(at: 0, lasting: seconds) {
            0.5 * sin(2 * .pi * hertz * $0) * (1 + 0.8 * sin(2 * .pi * swell * $0))
        }
        return sound
    }

    @Test func aFileKeepsCurvesAndEventsWithinWhatPlayersTake() throws {
        var sound = Self.tone(70, swell: 3)
        for index in 0..<60 {
            sound.add(at: 0.5 + Double(index), lasting: 0.1) {
                SyntheticSound.decaying($0, over: 0.02, hertz: 400)
            }
        }
        let document = try AHAPReader.read(Self.bytes([sound.samples])).document
        for entry in document.pattern {
            switch entry {
            case .parameterCurve(let curve): #expect(curve.controlPoints.count <= 16)
            case .event(let event): #expect(event.eventDuration?.value ?? 0 <= 30)
            case .parameter: Issue.record("no parameter is needed")
            }
        }
        #expect(document.pattern.count > 60)
    }

    @Test func theLevelFollowsTheSound() throws {
        let sound = Self.tone(4)
        let source = try SoundImport(channels: [sound.samples], sampleRate: 48_000)
        let signal = HapticSignal(
            try source.pattern(ImportSettings(style: .music, density: 0)).pattern)
        #expect(signal.taps.isEmpty)
        var level = Breakpoints(signal.intensityPoints)
        // The maxima are at 0.5 s and 2.5 s, and the minima at 1.5 s and 3.5 s.
        let values = [500_000, 1_500_000, 2_500_000, 3_500_000].compactMap {
            level.value(at: Microseconds($0))
        }
        #expect(values[0] > 0.6 && values[2] > 0.6)
        #expect(values[1] < 0.6 * values[0] && values[3] < 0.6 * values[2])
        // The curve contains one line instead of hundreds of segments.
        #expect(signal.intensityPoints.count < 60)
        let tone = try #require(signal.sharpnessPoints.first?.value)
        #expect(abs(tone - log(150 / 80) / log(1_000.0 / 80)) < 0.08)
    }

    @Test func importingAgainWithTheSettingsOfAFileGivesItsBytes() throws {
        let sound = SyntheticSound.drumsOverBass(21).noisy(20, seed: 22).samples
        for style in ImportSettings.Style.allCases {
            let settings = ImportSettings(style: style, density: 0.37, gain: 1.25)
            let first = try Self.bytes([sound], settings)
            let kept = try ImportSettings(metadata: AHAPReader.read(first).document.metadata)
            #expect(kept.style != .auto && kept.density == 0.37 && kept.gain == 1.25)
            #expect(try Self.bytes([sound], kept) == first, "\(style)")
        }
    }

    @Test func settingsThatAreNoneAreRefusedWithTheirPlace() throws {
        let tap = "{\"Event\": {\"Time\": 0, \"EventType\": \"HapticTransient\"}}"
        func refusal(_ metadata: String) -> String {
            do {
                let text = "{\"Metadata\": \(metadata),\n\"Pattern\": [\(tap)]}"
                let document = try AHAPReader.read(Array(text.utf8)).document
                _ = try ImportSettings(metadata: document.metadata)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal("{}").contains("does not contain \"SoundImport\""))
        #expect(refusal("{\"SoundImport\": 3}").contains("expected an object"))
        #expect(
            refusal("{\"SoundImport\": {\"Version\": 2}}").contains(
                "imported with version 2 of the analysis"))
        let wrong = """
            {"SoundImport": {"Version": 1, "Style": "loud", "Density": 0.5, "Gain": 1,
            "Channel": "mix"}}
            """
        #expect(refusal(wrong).hasPrefix("1:"))
        #expect(refusal(wrong).contains("\"Style\" must be one of auto, impacts"))
        #expect(
            refusal(wrong.replacing("loud", with: "music").replacing("0.5", with: "1e999"))
                .contains("must be in the range 0 to 1"))
    }

    @Test func eachChannelBecomesAPatternOfItsOwn() throws {
        let (left, right) = (SyntheticSound.clicks(31), SyntheticSound.clicks(32))
        let source = try SoundImport(
            channels: [left.samples, right.samples.map { $0 / 8 }], sampleRate: 48_000)
        var strongest: [Double] = []
        for (channel, sound) in [(ImportSettings.Channel.left, left), (.right, right)] {
            let taps = try source.pattern(ImportSettings(channel: channel)).pattern.events
                .filter { $0.type == .hapticTransient }
            var score = OnsetScore()
            score.count(taps.map { Double($0.time) / 1e6 }, of: sound.onsets)
            #expect(score.f1 > 0.85, "\(channel)")
            strongest.append(taps.map(\.intensity).max() ?? 0)
        }
        // The taps of the softer channel are also weaker.
        #expect(strongest[1] < 0.6 * strongest[0])
        #expect(throws: FormatError.self, "a silent channel") {
            let silence = [Float](repeating: 0, count: left.samples.count)
            _ = try SoundImport(channels: [left.samples, silence], sampleRate: 48_000)
                .pattern(ImportSettings(channel: .right))
        }
        #expect(throws: FormatError.self, "a missing channel") {
            try SoundImport(channels: [left.samples], sampleRate: 48_000)
                .pattern(ImportSettings(channel: .right))
        }
    }

    @Test func anOffsetIsNoSound() throws {
        let drums = SyntheticSound.drums(34)
        let source = try SoundImport(
            channels: [drums.samples.map { $0 / 4 + 0.5 }], sampleRate: drums.sampleRate)
        let plain = try SoundImport(channels: [drums.samples], sampleRate: drums.sampleRate)
        let counts = try [source, plain].map { try $0.pattern().pattern.events.count }
        #expect(counts[0] == counts[1])
        #expect(Self.refusal([[Float](repeating: 0.5, count: 48_000)]).contains("is silent"))
    }

    @Test func channelsThatCancelEachOtherAreFeltAllTheSame() throws {
        let clicks = SyntheticSound.clicks(33)
        let source = try SoundImport(
            channels: [clicks.samples, clicks.samples.map { -$0 }], sampleRate: 48_000)
        #expect(try source.pattern().pattern.events.count >= clicks.onsets.count)
    }

    @Test func whatIsNoSoundIsRefused() {
        #expect(Self.refusal([]).contains("no samples"))
        #expect(Self.refusal([[]]).contains("no samples"))
        #expect(Self.refusal([[1, 1], [1]]).contains("no samples"))
        #expect(Self.refusal([[1, 1]], rate: 10).contains("the sample rate is 10 Hz; only"))
        #expect(Self.refusal([[Float](repeating: 1e-6, count: 48_000)]).contains("is silent"))
        #expect(Self.refusal([[Float](repeating: .nan, count: 48_000)]).contains("is silent"))
    }

    @Test func oddSamplesGiveAPatternWithinItsRanges() throws {
        let odd: [Float] = [
            .infinity, .nan, -.infinity, 3e38, -3e38, .leastNonzeroMagnitude, 0, 1, -1,
        ]
        for count in [1, 2, 63, 1_000, 50_000] {
            let samples = (0..<count).map { odd[$0 % odd.count] + ($0 % 7 == 0 ? 0.5 : 0) }
            for rate in [1_000, 48_000, 768_000] {
                guard
                    let source = try? SoundImport(
                        channels: [samples, samples.reversed()], sampleRate: rate)
                else { continue }
                let settings = ImportSettings(density: 1, gain: 4)
                guard let pattern = try? source.pattern(settings).pattern else { continue }
                for event in pattern.events {
                    #expect(0...1 ~= event.intensity && 0...1 ~= event.sharpness)
                }
                for point in pattern.curves.flatMap(\.points) { #expect(0...1 ~= point.value) }
            }
        }
    }

    @Test func theStyleIsTakenFromTheSound() throws {
        func style(_ sound: SyntheticSound) throws -> ImportSettings.Style {
            try SoundImport(channels: [sound.samples], sampleRate: 48_000).pattern().settings.style
        }
        #expect(try style(SyntheticSound.clicks(41)) == .impacts)
        #expect(try style(SyntheticSound.plucks(41)) == .music)
        #expect(try style(Self.tone(10)) == .ambience)
        #expect(try style(SyntheticSound.steps(41)) == .impacts)
        #expect(try style(SyntheticSound.drumsOverBass(41)) == .music)
        for (count, length) in [(1, 1.0), (3, 1.5), (3, 5)] {
            #expect(try style(.knocks(count, lasting: length)) == .impacts)
        }
        // A creak is not an impact, but the slam at the end of the creak is an impact.
        #expect(try style(.creak) == .ambience)
        var door = SyntheticSound.creak
        door.add(at: 1.5, lasting: 0.5) {
            SyntheticSound.decaying($0, over: 0.06, hertz: 60)
                + 0.5 * SyntheticSound.decaying($0, over: 0.04, hertz: 410)
        }
        #expect(try style(door) == .impacts)
        let taps = try SoundImport(channels: [door.samples], sampleRate: 48_000).pattern().pattern
            .events.filter { $0.type == .hapticTransient }
        #expect(taps.map { abs($0.time - 1_500_000) < 25_000 } == [true])
    }
}
