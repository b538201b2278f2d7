// Tests of default values, limits, and the combination of event parameters with dynamic parameters.

import HapticPatterns
import Testing

struct ValueTests {
    private func event(_ type: String, _ parameters: String...) throws -> HapticEvent {
        let list = parameters.joined(separator: ", ")
        let members = "\"EventType\": \"\(type)\", \"EventParameters\": [\(list)]"
        let result = try read(pattern("{\"Event\": {\(members)}}"))
        guard let event = result.pattern.events.first else { throw Unexpected() }
        return event
    }

    // MARK: Defaults

    @Test func whatAFileLeavesOutTakesTheDefaultOfTheEventsType() throws {
        let transient = try event("HapticTransient")
        #expect(transient.intensity == 0.75 && transient.sharpness == 0.5)
        let continuous = try event("HapticContinuous")
        #expect(continuous.intensity == 0.6 && continuous.sharpness == 0.422601)
        #expect(
            continuous.envelope
                == Envelope(attackTime: 0, decayTime: 0, releaseTime: 0, sustained: true))
        #expect(continuous.time == 0 && continuous.length == nil)
        let audio = try event("AudioContinuous")
        #expect(audio.audio == AudioAttributes(volume: 1, pitch: 0, pan: 0, brightness: 1))
    }

    @Test func defaultsAreAnsweredOnlyWhereAParameterApplies() {
        #expect(EventParameterID.attackTime.defaultValue(for: .hapticTransient) == nil)
        #expect(EventParameterID.audioVolume.defaultValue(for: .hapticContinuous) == nil)
        #expect(EventParameterID.audioBrightness.defaultValue(for: .audioCustom) == nil)
        #expect(EventParameterID.sustained.defaultValue(for: .hapticContinuous) == 1)
        #expect(DynamicParameterID.hapticIntensityControl.defaultValue == 1)
        #expect(DynamicParameterID.audioVolumeControl.defaultValue == 1)
        #expect(DynamicParameterID.allCases.filter { $0.defaultValue == 0 }.count == 10)
    }

    // MARK: Limits

    @Test(arguments: [("-1.0", 0), ("4.64", 1), ("2234", 1), ("0", 0), ("1", 1), ("-0.0", 0)])
    func eventValuesAreClampedToTheNearestLegalOne(_ text: String, _ value: Double) throws {
        let event = try event(
            "HapticTransient", parameter("HapticIntensity", text),
            parameter("HapticSharpness", text))
        #expect(event.intensity == value && event.sharpness == value)
    }

    @Test(arguments: [
        ("HapticIntensityControl", "-0.5", 0), ("HapticIntensityControl", "1.004", 1),
        ("HapticSharpnessControl", "-0.5", -0.5), ("HapticSharpnessControl", "-1.5", -1),
        ("AudioPanControl", "7", 1),
    ])
    func controlValuesAreClampedToTheRangeOfTheirID(
        _ id: String, _ text: String, _ value: Double
    ) throws {
        let change = "{\"Parameter\": \(parameter(id, text))}"
        let pattern = try read(pattern(tap, change, curve(id, "0", ("0", text)))).pattern
        #expect(pattern.parameters[0].value == value)
        #expect(pattern.curves[0].points[0].value == value)
    }

    @Test(arguments: [("0", false), ("1", true), ("0.4", false), ("0.5", true), ("7", true)])
    func sustainedIsASwitch(_ text: String, _ isOn: Bool) throws {
        #expect(
            try event("HapticContinuous", parameter("Sustained", text)).envelope.sustained == isOn)
    }

    @Test func ofAParameterGivenTwiceTheLastCounts() throws {
        let event = try event(
            "HapticTransient", parameter("HapticIntensity", "0.2"),
            parameter("HapticIntensity", "0.9"))
        #expect(event.intensity == 0.9)
    }

    @Test func rampsAreIgnoredOnTransients() throws {
        let event = try event(
            "HapticTransient", parameter("AttackTime", "1"), parameter("Sustained", "0"))
        #expect(event.envelope == Envelope())
    }

    @Test(
        arguments: [
            ("0.0000004", 0), ("0.0000006", 1), ("1.0416666666666668e-05", 10),
            ("0.16666666666666657", 166_667), ("86400", 86_400_000_000),
        ] as [(String, Microseconds)])
    func timesAreRoundedToTheNearestMicrosecond(_ text: String, _ time: Microseconds) throws {
        let file = pattern("{\"Event\": {\"EventType\": \"HapticTransient\", \"Time\": \(text)}}")
        #expect(try read(file).pattern.events[0].time == time)
    }

    // MARK: Combination

    @Test(
        arguments: [
            (DynamicParameterID.hapticIntensityControl, 0.8, 0.5, 0.4),
            (.audioVolumeControl, 0.5, 0.5, 0.25),
            (.hapticSharpnessControl, 0.5, 0.25, 0.75), (.hapticSharpnessControl, 0.5, -0.75, 0),
            (.hapticSharpnessControl, 0.5, 0.75, 1), (.hapticAttackTimeControl, 0.25, 0.5, 0.75),
            (.audioPitchControl, -0.5, -0.75, -1), (.audioPanControl, 0.5, -1, -0.5),
        ] as [(DynamicParameterID, Double, Double, Double)])
    func intensityAndVolumeMultiplyAllOthersAddAndTheResultStaysInRange(
        _ id: DynamicParameterID, _ event: Double, _ control: Double, _ result: Double
    ) {
        #expect(id.combine(event, with: control) == result)
    }

    @Test func theDefaultControlValueChangesNothing() {
        for id in DynamicParameterID.allCases {
            #expect(id.combine(0.3, with: id.defaultValue) == 0.3)
            #expect(id.range.contains(id.defaultValue))
        }
    }

    @Test func hapticControlsAndAudioControlsAreDistinguished() {
        #expect(DynamicParameterID.allCases.filter(\.isHaptic).count == 5)
        #expect(DynamicParameterID.audioAttackTimeControl.eventParameter == .attackTime)
    }

    @Test(
        arguments: [
            (-1, 0), (0, 0), (0.0001, 5_003), (0.5, 70_711), (1, 1_000_000), (2, 1_000_000),
        ] as [(Double, Microseconds)])
    func anAdjusterLastsExponentially(_ adjuster: Double, _ duration: Microseconds) {
        #expect(EnvelopeTiming.standard.duration(of: adjuster) == duration)
    }
}
