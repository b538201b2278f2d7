// Tests of the sounds of a pattern, frame by frame.

import HapticBridge
import HapticPatterns
import Testing

@Suite struct SoundVoiceTests {
    /// The duration of a frame, in microseconds.
    private static let frame = 1_000_000.0 / 48_000
    private static let ramp = SoundSamples(
        channels: [(1...1_000).map { Float($0) / 1_000 }], sampleRate: 48_000)
    private static let ones = SoundSamples(
        channels: [[Float](repeating: 1, count: 96_000)], sampleRate: 48_000)

    private func event(
        at time: Microseconds = 0, duration: Microseconds? = nil, envelope: Envelope = Envelope(),
        _ change: (inout AudioAttributes) -> Void = { _ in }
    ) -> HapticEvent {
        var audio = AudioAttributes()
        change(&audio)
        return HapticEvent(
            .audioCustom, time: time, duration: duration, envelope: envelope, audio: audio)
    }

    /// Returns the frames of a pattern from its beginning, rendered in blocks.
    private func frames(
        _ events: [HapticEvent], _ sound: SoundSamples = ramp, count: Int = 2_000,
        parameters: [HapticDynamicParameter] = [], curves: [HapticParameterCurve] = [],
        from start: Microseconds = 0, rate: Double = 1, block: Int = 480
    ) -> SoundFrames {
        let pattern = HapticPattern(events: events, parameters: parameters, curves: curves)
        let sounds = Dictionary(uniqueKeysWithValues: events.indices.map { ($0, sound) })
        var voice = SoundVoice(pattern, sounds: sounds)
        var frames = SoundFrames(count: count)
        var first = 0
        while first < count {
            let end = min(first + block, count)
            let passage = SoundPassage(
                frames: first..<end, time: Double(start) + Double(first) * Self.frame * rate,
                step: Self.frame * rate, continues: first > 0)
            voice.render(passage, into: &frames)
            first = end
        }
        return frames
    }

    private func isNear(_ one: Float, _ other: Float, _ bound: Float = 0.001) -> Bool {
        abs(one - other) < bound
    }

    @Test func aFileIsPlayedSampleBySample() {
        let frames = frames([event(at: 10_000)])
        #expect(frames.left[..<480].allSatisfy { $0 == 0 })
        for index in 0..<1_000 {
            #expect(isNear(frames.left[480 + index], Float(index + 1) / 1_000))
            #expect(frames.left[480 + index] == frames.right[480 + index])
        }
        #expect(frames.left[1_480...].allSatisfy { $0 == 0 })
    }

    @Test func theSizeOfBlocksChangesNothing() {
        let events = [event(at: 3_333) { $0.pitch = 0.3 }, event(at: 7_000) { $0.volume = 0.5 }]
        let (one, other) = (frames(events, block: 480), frames(events, block: 2_000))
        #expect(zip(one.left, other.left).allSatisfy { isNear($0, $1, 0.002) })
    }

    @Test func soundsAtTheSameTimeAreAdded() {
        let frames = frames([event { $0.volume = 0.25 }, event { $0.volume = 0.5 }], Self.ones)
        #expect(isNear(frames.left[100], 0.75))
    }

    @Test func aPanSilencesTheOtherSide() {
        let right = frames([event { $0.pan = 1 }], Self.ones)
        #expect(isNear(right.left[100], 0) && isNear(right.right[100], 1))
        let left = frames([event { $0.pan = -0.5 }], Self.ones)
        #expect(isNear(left.left[100], 1) && isNear(left.right[100], 0.5))
    }

    @Test func aPitchOfOneIsAnOctave() {
        let frames = frames([event { $0.pitch = 1 }])
        #expect(isNear(frames.left[100], 0.201) && isNear(frames.left[499], 0.999))
        #expect(frames.left[500...].allSatisfy { $0 == 0 })
    }

    @Test func aFileOfAnotherSampleRateKeepsItsDuration() {
        let slow = SoundSamples(
            channels: [(0..<500).map { Float($0) / 500 }], sampleRate: 24_000)
        let frames = frames([event()], slow)
        #expect(isNear(frames.left[501], 0.501, 0.002))
        #expect(frames.left[1_001...].allSatisfy { $0 == 0 })
    }

    @Test func aDurationCutsTheFileOffWithoutACrack() {
        let frames = frames([event(duration: 10_000)], Self.ones)
        #expect(isNear(frames.left[400], 1) && frames.left[481...].allSatisfy { $0 == 0 })
        #expect(zip(frames.left, frames.left.dropFirst()).allSatisfy { abs($0 - $1) < 0.1 })
    }

    @Test func aLoopRepeatsTheFileForItsDuration() {
        let frames = frames(
            [event(duration: 60_000) { $0.isLoopEnabled = true }], count: 4_800)
        #expect(isNear(frames.left[1_100], 0.101) && isNear(frames.left[2_500], 0.501))
        #expect(frames.left[2_881...].allSatisfy { $0 == 0 })
    }

    @Test func theEnvelopeShapesTheVolume() {
        // An attack time of 1 and a release time of 1 represent one second each.
        let envelope = Envelope(attackTime: 1, releaseTime: 1)
        let shaped = frames(
            [event(duration: 1_000_000, envelope: envelope)], Self.ones, count: 96_000)
        #expect(isNear(shaped.left[24_000], 0.5, 0.01) && isNear(shaped.left[72_000], 0.5, 0.01))
        let plain = frames(
            [event(duration: 1_000_000, envelope: envelope) { $0.usesVolumeEnvelope = false }],
            Self.ones, count: 96_000)
        #expect(isNear(plain.left[24_000], 1) && plain.left[48_049...].allSatisfy { $0 == 0 })
    }

    @Test func anEventThatIsNotSustainedDecays() {
        let envelope = Envelope(decayTime: 1, sustained: false)
        let frames = frames([event(envelope: envelope)], Self.ones, count: 60_000)
        #expect(isNear(frames.left[24_000], 0.5, 0.01) && frames.left[48_049] == 0)
    }

    @Test func parametersAndCurvesChangeTheSound() {
        let parameter = HapticDynamicParameter(.audioVolumeControl, time: 10_000, value: 0.5)
        let muted = frames([event()], Self.ones, parameters: [parameter])
        #expect(isNear(muted.left[400], 1) && isNear(muted.left[600], 0.5))
        let curve = HapticParameterCurve(
            .audioPanControl, time: 0,
            points: [.init(time: 0, value: 0), .init(time: 40_000, value: 1)])
        let moved = frames([event()], Self.ones, curves: [curve])
        #expect(isNear(moved.left[960], 0.5, 0.01) && isNear(moved.right[960], 1))
        let haptic = HapticDynamicParameter(.hapticIntensityControl, time: 0, value: 0)
        #expect(isNear(frames([event()], Self.ones, parameters: [haptic]).left[100], 1))
    }

    @Test func aStartInTheMiddleContinuesTheFileThere() {
        let frames = frames([event()], from: 10_000)
        #expect(frames.left[0] == 0)
        #expect(isNear(frames.left[100], 0.581))
    }

    @Test func aRatePlaysFasterAsATapeWould() {
        let frames = frames([event(), event(at: 40_000)], rate: 2)
        #expect(isNear(frames.left[400], 0.801))
        #expect(isNear(frames.left[960 + 100], 0.201))
    }

    @Test func whatIsCutOffFadesWithinFiveMilliseconds() {
        let pattern = HapticPattern(events: [event()])
        var voice = SoundVoice(pattern, sounds: [0: Self.ones])
        var frames = SoundFrames(count: 960)
        voice.render(
            SoundPassage(frames: 0..<480, time: 0, step: Self.frame, continues: false),
            into: &frames)
        voice.renderEnd(480..<960, into: &frames)
        #expect(isNear(frames.left[600], 0.5, 0.01) && frames.left[720...].allSatisfy { $0 == 0 })
        #expect(!voice.isAudible)
    }

    @Test func aToneIsAsHighAsItsPitch() {
        func crossings(pitch: Double) -> Int {
            let tone = HapticEvent(
                .audioContinuous, time: 0, duration: 1_000_000,
                audio: AudioAttributes(pitch: pitch, brightness: 0))
            let left = frames([tone], count: 48_000).left
            return zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
        }
        #expect((219...220).contains(crossings(pitch: -1)))
        #expect((439...440).contains(crossings(pitch: 0)))
        #expect((879...880).contains(crossings(pitch: 1)))
    }

    @Test func brightnessAddsOvertonesAndNeverExceedsFullScale() {
        func tone(_ brightness: Double) -> [Float] {
            let tone = HapticEvent(
                .audioContinuous, time: 0, duration: 50_000,
                audio: AudioAttributes(brightness: brightness))
            return frames([tone]).left
        }
        #expect(tone(1).allSatisfy { abs($0) <= 1 })
        #expect(zip(tone(0), tone(1)).contains { abs($0 - $1) > 0.2 })
    }

    @Test func severalChannelsBecomeTwo() {
        let four = SoundSamples(channels: [[1], [0.5], [0], [0.25]], sampleRate: 8_000)
        #expect(four.left == [0.5] && four.right == [0.375])
        var frames = SoundFrames(count: 2)
        #expect(frames.isSilent)
        frames.left[1] = 1.5
        #expect(frames.interleaved == [0, 0, 1, 0] && !frames.isSilent)
    }
}
