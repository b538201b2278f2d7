// Tests of plans for actuators at the limits of valid configurations, and for patterns that begin
// at time 0.

import HapticPatterns
import TestSupport
import Testing

@testable import HapticCompiler

@Suite struct DriveExtremeTests {
    /// Actuators in open and closed loops, with minimum and maximum overdrive and time constant.
    private static let plants: [Plant] =
        [1_000, 20_000, 1_000_000].flatMap { timeConstant in
            [1, 1.02, 1.04, 1.06, 1.41, 4].flatMap { overdrive in
                [false, true].flatMap { isClosedLoop in
                    [
                        Plant(
                            kind: .lra, timeConstant: timeConstant, overdrive: overdrive,
                            isClosedLoop: isClosedLoop, start: 0, running: 0, ratedLevel: 1),
                        Plant(
                            kind: .erm, timeConstant: timeConstant, overdrive: overdrive,
                            isClosedLoop: isClosedLoop, start: 0.67, running: 0.27, ratedLevel: 1),
                    ]
                }
            }
        }

    private func profile(of plant: Plant) -> DeviceProfile {
        var profile = plant.kind == .erm ? DeviceProfile.erm : .lra
        profile.plant = plant
        return profile
    }

    private func tap(
        _ time: Microseconds, _ intensity: Double, _ sharpness: Double = 0.5
    ) -> HapticEvent {
        HapticEvent(.hapticTransient, time: time, intensity: intensity, sharpness: sharpness)
    }

    private func level(
        _ time: Microseconds, _ duration: Microseconds, _ intensity: Double
    ) -> HapticEvent {
        HapticEvent(.hapticContinuous, time: time, duration: duration, intensity: intensity)
    }

    private func compiled(
        _ events: [HapticEvent], _ profile: DeviceProfile, _ alignment: DriveAlignment = .felt
    ) -> CompiledPattern {
        HapticCompiler.compile(
            HapticPattern(events: events), profile: profile,
            options: CompilerOptions(alignment: alignment))
    }

    @Test(arguments: plants, DriveAlignment.allCases)
    func everyActuatorHasAPlanForEveryPattern(plant: Plant, alignment: DriveAlignment) {
        for seed in 0..<8 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let pattern = RandomPattern.pattern(using: &generator)
            let events = HapticCompiler.compile(
                pattern, profile: profile(of: plant),
                options: CompilerOptions(alignment: alignment)
            ).events
            #expect(events.last?.content == .end)
            for (event, next) in zip(events, events.dropFirst()) {
                #expect(event.tick >= 0 && event.tick <= next.tick)
            }
        }
    }

    @Test(arguments: plants)
    func aTapOverTheStrongestLevelIsPlanned(plant: Plant) {
        for intensity in [0.9, 1] {
            let events = [level(0, 1_000_000, intensity), tap(500_000, 1)]
            let plan = compiled(events, profile(of: plant))
            #expect(plan.lead >= 0 && plan.events.last?.content == .end)
        }
    }

    @Test func aLevelAtTheStartCountsFromItsOwnTimeOn() {
        let steep = HapticEvent(
            .hapticContinuous, time: 0, duration: 0, intensity: 1,
            envelope: Envelope(attackTime: 0, decayTime: 0.001, releaseTime: 0, sustained: false))
        #expect(compiled([steep, tap(0, 0.5)], .lra).events.last?.content == .end)
        // A plan does not change if the pattern starts 400 ms later.
        for intensity in [0.3, 0.5, 0.9] {
            func listing(_ start: Microseconds) -> [StreamEvent] {
                let events = [level(start, 500_000, 0.5), tap(start, intensity, 1)]
                return compiled(events, .lra).events
            }
            let later = listing(400_000).map { StreamEvent($0.content, at: $0.tick - 1_600) }
            #expect(listing(0) == later)
        }
    }

    @Test func aMotorOfLittleOverdriveReachesFullIntensity() {
        for overdrive in [1, 1.02, 1.04, 1.06, 1.2] {
            let plant = Plant(
                kind: .erm, timeConstant: 40_000, overdrive: overdrive, isClosedLoop: true,
                start: 0.67, running: 0.27, ratedLevel: 1)
            #expect(plant.rise(from: 0, to: 1) > 60_000)
            #expect(plant.rise(from: 0.5, to: 1) > 20_000)
        }
    }

    @Test func aTapThatTheActuatorIsTooSlowToFallToIsSent() {
        var plant = DeviceProfile.lra.plant!
        plant.isClosedLoop = false
        plant.timeConstant = 100_000
        let events = compiled([level(100_000, 300_000, 1), tap(410_000, 0.1)], profile(of: plant))
        #expect(events.events.contains { if case .tap = $0.content { true } else { false } })
    }

    @Test(arguments: [true, false])
    func aWeakTapJustBeforeAStrongOneDoesNotCutIt(isClosedLoop: Bool) {
        var plant = DeviceProfile.lra.plant!
        plant.isClosedLoop = isClosedLoop
        let alone = compiled([tap(105_000, 0.9)], profile(of: plant)).events
        let both = compiled([tap(100_000, 0.3), tap(105_000, 0.9)], profile(of: plant))
        #expect(both.events == alone)
        #expect(both.report.items.map(\.rule) == [.tapsFuse])
        #expect(both.report.items.map(\.event) == [0])
    }

    @Test func aTapOfATextureIsReportedOnce() {
        let events = [
            tap(0, 0.69, 0.09), level(5_000, 5_000, 0.82), tap(19_500, 0.097, 0.45),
            tap(33_400, 0.7, 0.08), tap(38_400, 0.5, 0.34), tap(52_400, 0.88, 0.33),
        ]
        let items = compiled(events, .erm, .drive).report.items.filter { $0.rule == .tapsFuse }
        #expect(items.count == Set(items.map(\.event)).count)
    }
}
