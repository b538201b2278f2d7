// Tests of drive plans: the model of the actuator, the events of a plan, and plans that replace
// other plans.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import HapticCompiler

@Suite struct DrivePlanTests {
    private func listing(
        _ events: [HapticEvent], _ profile: DeviceProfile, _ alignment: DriveAlignment = .drive
    ) -> [String] {
        let compiled = HapticCompiler.compile(
            HapticPattern(events: events), profile: profile,
            options: CompilerOptions(alignment: alignment))
        return compiled.listing.lines
    }

    private func tap(
        _ time: Microseconds, _ intensity: Double = 1, _ sharpness: Double = 1
    ) -> HapticEvent {
        HapticEvent(.hapticTransient, time: time, intensity: intensity, sharpness: sharpness)
    }

    private func continuous(
        _ time: Microseconds, _ duration: Microseconds, _ intensity: Double = 1
    ) -> HapticEvent {
        HapticEvent(.hapticContinuous, time: time, duration: duration, intensity: intensity)
    }

    // MARK: The plant

    @Test(arguments: [DeviceProfile.lra, .erm], [0.1, 0.3, 0.7, 1])
    func theStaticCurveIsTheInverseOfTheResponse(profile: DeviceProfile, intensity: Double) {
        let plant = profile.plant!
        let wanted = plant.state(for: intensity)
        let level = plant.level(holding: wanted)
        let reached = plant.state(after: 1e6, from: wanted, under: level)
        let felt = plant.intensity(of: reached)
        #expect(Fidelity.steps(between: felt * 255, and: intensity * 255) < 0.1)
    }

    @Test func anLRARisesWithAllThatTheClampAllows() {
        let plant = DeviceProfile.lra.plant!
        // The rise takes 18.7 ms × ln(1.41 / (1.41 - 0.5)); then the driver holds the amplitude.
        #expect(abs(plant.rise(from: 0, to: 0.5) - 8_189) < 1)
        #expect(abs(plant.state(after: 8_189, from: 0, under: 0.5) - 0.5) < 1e-4)
        #expect(plant.state(after: 30_000, from: 0, under: 0.5) == 0.5)
        // The brake drives the amplitude toward -1.41, but ends when the actuator is at rest.
        #expect(plant.state(after: 30_000, from: 1, under: 0) == 0)
    }

    @Test func aMotorStandsStillBelowItsStartVoltageAndIsHeldBelowIt() {
        let open = Plant(
            kind: .erm, timeConstant: 40_000, overdrive: 1.2, isClosedLoop: false, start: 0.67,
            running: 0.27)
        #expect(open.state(after: 500_000, from: 0, under: 0.6) == 0)
        #expect(open.state(after: 500_000, from: 0, under: 0.7) > 0.5)
        #expect(open.state(after: 500_000, from: 0.3, under: 0.5) > 0.3)
        // At full drive, the motor approaches the rated speed without reaching it. A pulse does not
        // last longer than 62 ms for this reason.
        #expect(open.rise(from: 0, to: 1) == 62_000)
    }

    @Test func inAnOpenLoopRatedLevelIsTheGreatestLevel() {
        var profile = DeviceProfile.lra
        profile.plant?.isClosedLoop = false
        profile.plant?.ratedLevel = 0.5
        #expect(
            listing([continuous(0, 100_000), tap(200_000, 1, 1)], profile)
                .allSatisfy { !$0.contains("255") || $0.contains("sharpness 255") })
    }

    // MARK: Events

    @Test func aTapOfAnLRAIsAsLongAsItsRise() {
        // The rise to full intensity takes 18.7 ms × ln(1.41 / 0.41) = 23.1 ms. The drive lasts 15
        // % longer than the rise, and the drive of dull taps lasts another 10 ms.
        func length(_ sharpness: Double) -> Double {
            let sent = HapticCompiler.compile(
                HapticPattern(events: [tap(0, 1, sharpness)]), profile: .lra,
                options: CompilerOptions(alignment: .drive)
            ).events
            guard case .tap(255, let sharpness) = sent[0].content else { return 0 }
            return Double(DeviceProfile.lra.tapLength(sharpness: Double(sharpness) / 255))
        }
        #expect(abs(length(1) - 26_560) < 600)
        #expect(abs(length(0) - 36_560) < 600)
    }

    @Test func aLevelOfAMotorStartsWithAKickAndIsHeld() {
        let sent = HapticCompiler.compile(
            HapticPattern(events: [continuous(0, 500_000, 0.25)]), profile: .erm,
            options: CompilerOptions(alignment: .drive)
        ).events
        guard case .tap(255, _) = sent[0].content else {
            Issue.record("no kick: \(sent)")
            return
        }
        // The level keeps the motor at half of the rated speed, at a running voltage of 0.27 and a
        // gain of 2: (2.73 × 0.5 + 0.27) / 3 of 255.
        #expect(sent[1].content == .level(139) && sent[0].tick == 0 && sent[1].tick == 0)
        #expect(sent.count == 3)
    }

    @Test func whatIsNotPlannedIsWhatItWas() {
        let events = [tap(0, 0.4, 0.3), continuous(10_000, 90_000, 0.3)]
        let plain = HapticCompiler.compile(HapticPattern(events: events))
        for alignment in DriveAlignment.allCases {
            let other = HapticCompiler.compile(
                HapticPattern(events: events), options: CompilerOptions(alignment: alignment))
            #expect(other.bytes == plain.bytes && other.lead == 0)
        }
    }

    @Test(arguments: [DeviceProfile.lra, .erm], DriveAlignment.allCases)
    func aPlanDoesNotDependOnHowTimeIsDivided(profile: DeviceProfile, alignment: DriveAlignment) {
        var random = SeededGenerator(seed: 24)
        let events: [HapticEvent] = (0..<120).map { index in
            let time = Microseconds(index * 23_000) + Microseconds(random.next() % 20_000)
            let intensity = Double(random.next() % 100) / 100
            return index % 5 == 0
                ? continuous(time, Microseconds(random.next() % 200_000), intensity)
                : tap(time, intensity, Double(random.next() % 100) / 100)
        }
        let pattern = HapticPattern(events: events)
        let options = CompilerOptions(alignment: alignment)
        func bytes(_ window: Microseconds) -> [UInt8] {
            HapticCompiler.compile(
                pattern, voice: PatternVoice(pattern, options: options, endless: .limited),
                profile: profile, options: options, window: window
            ).bytes
        }
        let whole = bytes(10_000_000)
        for window in [Microseconds(1_700), 31_000, 50_000, 400_000] {
            #expect(bytes(window) == whole)
        }
    }

    // MARK: Plans that replace other plans

    private func live(
        _ events: [HapticEvent], _ state: DriveState = DriveState(),
        on profile: DeviceProfile = .erm
    ) -> HapticCompiler {
        HapticCompiler(
            profile: profile, voices: [PatternVoice(HapticPattern(events: events))], isLive: true,
            state: state)
    }

    private func taps(_ compiler: HapticCompiler) -> Int { tapTimes(compiler).count }

    /// Returns the times of the taps, in microseconds.
    private func tapTimes(_ compiler: HapticCompiler) -> [Int] {
        var compiler = compiler
        let events = compiler.nextSegment(duration: 1_000_000).events
        return events.compactMap { if case .tap = $0.content { $0.tick * 250 } else { nil } }
    }

    @Test func aStrongTapEndsTheInterruptionForAWeakOne() {
        let events = [
            continuous(0, 500_000, 0.4), tap(200_000, 0.2), tap(201_000, 0.2), tap(202_500),
        ]
        #expect(tapTimes(live(events, on: .lra)) == [200_000, 202_500])
    }

    @Test func aStrongTapDoesNotWaitForAWeakOneForWhichTheLevelIsInterrupted() {
        let events = [continuous(0, 500_000, 0.18), tap(200_000, 0.2), tap(204_000)]
        #expect(tapTimes(live(events, on: .lra)) == [200_000, 204_000])
    }

    @Test func theTapsThatADeviceHasNotPlayedAreDrivenByThePlanThatReplacesTheirs() throws {
        var first = live([continuous(0, 500_000, 0.2), tap(20_000), tap(40_000)], on: .lra)
        _ = first.nextSegment(duration: 1_000_000)
        let rest = [continuous(0, 480_000, 0.2), tap(19_500)]
        #expect(
            tapTimes(live(rest, first.driveState(at: 20_500, behind: 400), on: .lra)) == [19_500])
        var second = live([continuous(0, 500_000, 0.2), tap(20_000), tap(40_000)], on: .lra)
        _ = second.nextSegment(duration: 1_000_000)
        #expect(
            tapTimes(live(rest, second.driveState(at: 20_500, behind: 700), on: .lra)) == [
                0, 19_500,
            ])
    }

    @Test func aTapThatWaitsForAStrongerOneIsDrivenByThePlanThatReplacesIt() throws {
        let events = [tap(0, 0.5), tap(5_000, 0.2)]
        var first = live(events, on: .lra)
        let times = tapTimes(first)
        try #require(times.count == 2 && times[1] > 6_000)
        _ = first.nextSegment(duration: 1_000_000)
        let state = first.driveState(at: 6_000)
        #expect(tapTimes(live([], state, on: .lra)) == [times[1] - 6_000])
    }

    @Test func aMotorThatTurnsIsNotStartedAgain() {
        let level = [continuous(0, 2_000_000, 0.3)]
        var first = live(level)
        #expect(taps(first) == 1)
        _ = first.nextSegment(duration: 1_000_000)
        let state = first.driveState(at: 500_000)
        #expect(abs(state.amplitude - 0.3.squareRoot()) < 0.02)
        #expect(taps(live(level, state)) == 0)
        // The initial full drive continues while the motor starts.
        var other = live(level)
        _ = other.nextSegment(duration: 1_000_000)
        #expect(taps(live(level, other.driveState(at: 5_000))) == 0)
    }

    @Test func aTextureContinues() {
        let taps = (0..<20).map { tap(Microseconds($0) * 25_000, 0.5) }
        var first = live(taps)
        _ = first.nextSegment(duration: 1_000_000)
        // The time is between two taps, 10 ms after the first of them.
        let state = first.driveState(at: 260_000)
        #expect(state.texture?.time == -10_000)
        let rest = taps.filter { $0.time > 260_000 }.map { event in
            var event = event
            event.time -= 260_000
            return event
        }
        var second = live(rest, state)
        let events = second.nextSegment(duration: 1_000_000).events
        #expect(events.first?.tick == 0 && events.first?.content != .level(0))
    }
}
