// Tests of complete patterns, from events and curves to the listing of their stream.

import HapticCompiler
import HapticPatterns
import Testing

@Suite struct HapticCompilerTests {
    private func listing(
        _ events: [HapticEvent], parameters: [HapticDynamicParameter] = [],
        curves: [HapticParameterCurve] = [], options: CompilerOptions = CompilerOptions(),
        profile: DeviceProfile = .reference
    ) -> [String] {
        let pattern = HapticPattern(events: events, parameters: parameters, curves: curves)
        let compiled = HapticCompiler.compile(pattern, profile: profile, options: options)
        #expect((try? EventStreamDecoder.decode(compiled.bytes)) == compiled.events)
        return compiled.listing.lines.map { $0.split(separator: " ").joined(separator: " ") }
    }

    private func continuous(
        _ time: Microseconds, _ duration: Microseconds?, _ intensity: Double = 1,
        _ sharpness: Double = 0.4, _ envelope: Envelope = Envelope()
    ) -> HapticEvent {
        HapticEvent(
            .hapticContinuous, time: time, duration: duration, intensity: intensity,
            sharpness: sharpness, envelope: envelope)
    }

    private func tap(
        _ time: Microseconds, _ intensity: Double = 1, _ sharpness: Double = 1
    ) -> HapticEvent {
        HapticEvent(.hapticTransient, time: time, intensity: intensity, sharpness: sharpness)
    }

    @Test func emptyPatternIsOnlyAnEnd() {
        #expect(listing([]) == ["0.000 end"])
    }

    @Test func endWaitsForTheLastTapToSound() {
        #expect(listing([tap(10_000)]) == ["10.000 tap intensity 255 sharpness 255", "16.000 end"])
        #expect(
            listing([tap(10_000, 1, 0)]) == ["10.000 tap intensity 255 sharpness 0", "34.000 end"])
    }

    @Test func endWaitsForThePatternsDuration() {
        let padded = HapticEvent(
            .hapticTransient, time: 0, duration: 500_000, intensity: 1, sharpness: 1)
        #expect(listing([padded]) == ["0.000 tap intensity 255 sharpness 255", "500.000 end"])
    }

    @Test func continuousEventJumpsUpAndEndsWithTheStream() {
        #expect(
            listing([continuous(0, 100_000)]) == ["0.000 level 255 sharpness 102", "100.000 end"])
    }

    @Test func levelReturnsToZeroBetweenEvents() {
        #expect(
            listing([continuous(0, 100_000), continuous(200_000, 100_000)]) == [
                "0.000 level 255 sharpness 102", "100.000 level 0",
                "200.000 level 255 sharpness 102", "300.000 end",
            ])
    }

    @Test func timesGoToTheNearestTick() {
        #expect(
            listing([continuous(1_124, 1_000), tap(5_125), tap(9_124)]).prefix(4) == [
                "1.000 level 255 sharpness 102", "2.000 level 0",
                "5.250 tap intensity 255 sharpness 255", "9.000 tap intensity 255 sharpness 255",
            ])
    }

    @Test func continuousEventOfLessThanATickGetsOne() {
        let fading = continuous(9_000, 0, 0.5, 0, Envelope(sustained: false))
        #expect(
            listing([continuous(1_130, 10), fading]) == [
                "1.250 level 255 sharpness 102", "1.500 level 0", "9.000 level 128 sharpness 0",
                "9.250 end",
            ])
    }

    @Test func envelopeBecomesRamps() {
        let envelope = Envelope(attackTime: 1, releaseTime: 1)
        #expect(
            listing([continuous(0, 2_000_000, 1, 0, envelope)]) == [
                "0.000 level 0 sharpness 0", "0.000 level ramp to 255 in 1000.000",
                "2000.000 level ramp to 0 in 1000.000", "3000.000 end",
            ])
    }

    @Test func unsustainedEventDecaysWhateverItsDuration() {
        let envelope = Envelope(decayTime: 1, releaseTime: 1, sustained: false)
        #expect(
            listing([continuous(0, 100_000, 1, 0, envelope)]) == [
                "0.000 level 255 sharpness 0", "0.000 level ramp to 0 in 1000.000", "1000.000 end",
            ])
    }

    @Test func releaseStartsFromTheLevelThatAttackHasReached() {
        let envelope = Envelope(attackTime: 1, releaseTime: 1)
        #expect(
            listing([continuous(0, 500_000, 0.8, 0, envelope)]).dropFirst() == [
                "0.000 level ramp to 102 in 500.000", "500.000 level ramp to 0 in 1000.000",
                "1500.000 end",
            ])
    }

    @Test func rampControlsAreReadWhenTheirPhaseBegins() {
        let release = HapticDynamicParameter(
            .hapticReleaseTimeControl, time: 100_000, value: 1)
        let later = HapticDynamicParameter(.hapticReleaseTimeControl, time: 300_000, value: 0)
        #expect(
            listing([continuous(0, 200_000)], parameters: [release, later]).dropFirst() == [
                "200.000 level ramp to 0 in 1000.000", "1200.000 end",
            ])
    }

    @Test func intensityControlMultipliesAndSharpnessControlAdds() {
        let half = HapticDynamicParameter(.hapticIntensityControl, time: 50_000, value: 0.5)
        let sharper = HapticDynamicParameter(.hapticSharpnessControl, time: 50_000, value: 0.4)
        #expect(
            listing([continuous(0, 100_000)], parameters: [half, sharper]) == [
                "0.000 level 255 sharpness 102", "50.000 level 128 sharpness 204", "100.000 end",
            ])
    }

    @Test func curveIsARampAndSilenceIsSilent() {
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: [
                .init(time: 0, value: 1), .init(time: 100_000, value: 0),
                .init(time: 300_000, value: 0), .init(time: 400_000, value: 1),
            ])
        #expect(
            listing([continuous(0, 500_000)], curves: [curve]) == [
                "0.000 level 255 sharpness 102", "0.000 level ramp to 0 in 100.000",
                "300.000 level ramp to 255 in 100.000", "500.000 end",
            ])
    }

    @Test func stepOfTenMicrosecondsIsAJump() {
        let curve = HapticParameterCurve(
            .hapticIntensityControl, time: 0,
            points: [
                .init(time: 0, value: 1), .init(time: 100_000, value: 1),
                .init(time: 100_010, value: 0.2), .init(time: 200_000, value: 0.2),
            ])
        #expect(
            listing([continuous(0, 200_000)], curves: [curve]) == [
                "0.000 level 255 sharpness 102", "100.000 level 51", "200.000 end",
            ])
    }

    @Test func sharpnessIsBentWhereItReachesItsLimit() {
        let curve = HapticParameterCurve(
            .hapticSharpnessControl, time: 0,
            points: [.init(time: 0, value: 0), .init(time: 1_000_000, value: 1)])
        #expect(
            listing([continuous(0, 1_000_000, 1, 0.5)], curves: [curve]) == [
                "0.000 level 255 sharpness 128", "0.000 sharpness ramp to 255 in 500.000",
                "1000.000 end",
            ])
    }

    @Test func louderOfTwoLayersIsFeltWithItsSharpness() {
        let events = [continuous(0, 300_000, 0.4, 0.2), continuous(100_000, 100_000, 0.8, 0.6)]
        #expect(
            listing(events) == [
                "0.000 level 102 sharpness 51", "100.000 level 204 sharpness 153",
                "200.000 level 102 sharpness 51", "300.000 end",
            ])
    }

    @Test func laterOfTwoEqualLayersIsFelt() {
        let events = [continuous(0, 300_000, 0.4, 0.2), continuous(100_000, 100_000, 0.4, 0.6)]
        #expect(
            listing(events) == [
                "0.000 level 102 sharpness 51", "100.000 level 102 sharpness 153",
                "200.000 level 102 sharpness 51", "300.000 end",
            ])
    }

    @Test func layersThatCrossChangePlacesWhereTheyCross() {
        let rise = Envelope(attackTime: 1)
        let events = [continuous(0, 1_000_000, 0.5, 0.2), continuous(0, 1_000_000, 1, 0.6, rise)]
        #expect(
            listing(events) == [
                "0.000 level 128 sharpness 51", "500.000 level 128 sharpness 153",
                "500.000 level ramp to 255 in 500.000", "1000.000 end",
            ])
    }

    @Test func sharpnessCurveChangesTapsOnlyWhereThatWasObserved() {
        let sharper = HapticDynamicParameter(.hapticSharpnessControl, time: 0, value: -0.6)
        let observed = CompilerOptions(sharpnessCurves: .observed)
        #expect(
            listing([tap(0)], parameters: [sharper])[0] == "0.000 tap intensity 255 sharpness 255")
        #expect(
            listing([tap(0)], parameters: [sharper], options: observed)[0]
                == "0.000 tap intensity 255 sharpness 102")
    }

    @Test func tapsOfTheSameInstantKeepTheOrderOfTheFile() {
        #expect(
            listing([tap(0, 1), tap(0, 0.2), continuous(0, 100_000)]) == [
                "0.000 tap intensity 255 sharpness 255", "0.000 tap intensity 51 sharpness 255",
                "0.000 level 255 sharpness 102", "100.000 end",
            ])
    }

    @Test func silentTapIsNotSentSinceItWouldInterruptTheLevel() {
        #expect(
            listing([tap(50_000, 0), continuous(0, 100_000)]) == [
                "0.000 level 255 sharpness 102", "100.000 end",
            ])
    }

    @Test func endlessEventEndsAfterThirtySecondsOrWithThePattern() {
        #expect(listing([continuous(1_000_000, nil)]).last == "31000.000 end")
        #expect(
            listing([continuous(0, nil), tap(40_000_000)]).suffix(3) == [
                "40000.000 tap intensity 255 sharpness 255", "40000.000 level 0", "40006.000 end",
            ])
    }

    @Test func actuatorWithoutSharpnessIsNotSentAny() {
        let events = [continuous(0, 100_000, 1, 0.2), continuous(200_000, 100_000, 1, 0.7)]
        let sent = HapticCompiler.compile(HapticPattern(events: events), profile: .lra).events
        let levels = sent.filter { $0.content != .end }.map(\.content)
        #expect(levels == [.level(255), .level(0), .level(255)])
    }

    @Test func pulsesBecomeACopy() {
        let events = (0..<50).map { continuous($0 * 20_000, 10_000) }
        let compiled = HapticCompiler.compile(HapticPattern(events: events))
        #expect(compiled.bytes == [UInt8](hex: "80 A4  7D  0D  FD E1  F3 28"))
    }
}
