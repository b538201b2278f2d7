// Tests of each rule in the lowering report, and of the counts in the report.

import AHAP
import HapticCompiler
import HapticPatterns
import Testing

@Suite struct LoweringReportTests {
    private typealias Rule = LoweringReport.Rule

    private func report(
        _ events: [HapticEvent], profile: DeviceProfile = .reference
    ) -> LoweringReport {
        HapticCompiler.compile(HapticPattern(events: events), profile: profile).report
    }

    private func findings(
        _ events: [HapticEvent], profile: DeviceProfile = .reference
    ) -> [String] {
        report(events, profile: profile).items.map { "\($0.event) \($0.rule.rawValue)" }
    }

    private func tap(_ time: Microseconds, _ intensity: Double = 1, _ sharpness: Double = 1)
        -> HapticEvent
    {
        HapticEvent(.hapticTransient, time: time, intensity: intensity, sharpness: sharpness)
    }

    private func continuous(
        _ time: Microseconds, _ duration: Microseconds?, _ intensity: Double = 1,
        sustained: Bool = true
    ) -> HapticEvent {
        HapticEvent(
            .hapticContinuous, time: time, duration: duration, intensity: intensity, sharpness: 0.5,
            envelope: Envelope(sustained: sustained))
    }

    @Test func nothingIsLostOfAPlainPattern() {
        let report = report([tap(0), continuous(10_000, 100_000), tap(200_000)])
        #expect(report.items.isEmpty)
        #expect((report.exact, report.degraded, report.notPlayed) == (3, 0, 0))
    }

    @Test func soundsAreNoLosses() {
        let report = report([HapticEvent(.audioCustom, time: 0), tap(0)])
        #expect(report.items.isEmpty)
        #expect((report.exact, report.degraded, report.notPlayed) == (1, 0, 0))
        #expect(report.audioEvents == 1)
    }

    @Test func silentTapIsListed() {
        #expect(findings([tap(0, 0), tap(1_000, 0.001)]) == ["0 silent-tap", "1 silent-tap"])
    }

    @Test func tapInsideATapTruncatesIt() {
        let report = report([tap(0), tap(5_999), tap(11_999)])
        #expect(report.items.map(\.event) == [0])
        #expect(report.items[0].rule == .tapTruncated)
        #expect(
            report.items[0].message
                == "the next tap begins after 5.999 ms, but this tap takes 6.0 ms")
    }

    @Test func lengthOfATapDependsOnItsSharpness() {
        #expect(findings([tap(0, 1, 0), tap(23_999), tap(100_000)]) == ["0 tap-truncated"])
        #expect(findings([tap(0, 1, 0), tap(24_000)]).isEmpty)
    }

    @Test func ofTwoTapsAtTheSameInstantTheLaterPreempts() {
        #expect(findings([tap(0), tap(0, 0.5)]) == ["0 tap-truncated"])
    }

    @Test func tapsThatAMotorCannotPartFuse() {
        // Taps of full intensity at intervals of less than 68 ms merge into one movement.
        #expect(
            findings([tap(0), tap(40_000), tap(140_000)], profile: .erm)
                == ["0 taps-fuse", "1 taps-fuse"])
        #expect(findings([tap(0), tap(67_999)], profile: .erm).count == 2)
        #expect(findings([tap(0), tap(68_000)], profile: .erm).isEmpty)
        // Weak taps do not merge, because they rise and fall quickly.
        #expect(findings([tap(0, 0.1), tap(40_000, 0.1)], profile: .erm).isEmpty)
        let texture = (0..<4).map { tap(Int64($0) * 30_000) }
        #expect(
            findings(texture, profile: .erm)
                == ["0 taps-fuse", "1 taps-fuse", "2 taps-fuse", "3 taps-fuse"])
    }

    @Test func anLRAPartsTapsAndReportsNone() {
        #expect(findings([tap(0), tap(15_000), tap(30_000)], profile: .lra).isEmpty)
    }

    @Test func aTapThatALevelHidesIsListed() {
        // The level is interrupted for the first tap, but not for the second tap, because there
        // must be 60 ms between interruptions.
        let events = [continuous(0, 500_000, 0.8), tap(200_000, 0.5), tap(230_000, 0.5)]
        #expect(
            findings(events, profile: .lra).filter { $0.contains("hidden") } == [
                "2 hidden-by-level"
            ])
    }

    @Test func sharpnessOfLevelsCannotBeRenderedByAnActuator() {
        let events = [tap(0), continuous(100_000, 100_000)]
        for profile in [DeviceProfile.lra, .erm] {
            #expect(findings(events, profile: profile) == ["1 sharpness-not-rendered"])
        }
    }

    @Test func aBudgetThatIsUsedUpIsListedWithItsMoment() throws {
        var profile = DeviceProfile.reference
        profile.budget = EnergyBudget(sustained: 0.6, full: 200_000)
        let events = [continuous(0, 150_000), continuous(160_000, 500_000), tap(900_000)]
        let items = report(events, profile: profile).items
        #expect(items.map { "\($0.event) \($0.rule.rawValue)" } == ["1 over-budget"])
        #expect(items[0].message.contains("60 %") && items[0].message.hasPrefix("at 21"))
        #expect(findings([continuous(0, 150_000)], profile: profile).isEmpty)
        #expect(findings([continuous(0, 9_000_000, 0.6)], profile: profile).isEmpty)
    }

    @Test func continuousEventOfLessThanATickIsListed() {
        let events = [
            continuous(0, 249), continuous(1_000, 250), continuous(2_000, nil, sustained: false),
        ]
        #expect(findings(events) == ["0 lengthened-to-tick", "2 lengthened-to-tick"])
    }

    @Test func overlapIsListedForEveryEventThatTakesPart() {
        let events = [
            continuous(0, 100_000), continuous(50_000, 10_000), continuous(70_000, 10_000),
            continuous(100_000, 10_000), continuous(105_000, 10_000, 0),
        ]
        #expect(findings(events) == (0..<3).map { "\($0) mixed-by-maximum" })
    }

    @Test func endlessEventIsListedWithItsEnd() {
        let report = report([continuous(1_000, nil)])
        #expect(report.items.map(\.rule) == [.endlessEvent])
        #expect(report.items[0].message == "no duration: the event is ended after 30000.0 ms")
    }

    @Test func anEventWithTwoFindingsIsDegradedOnce() {
        // The two events overlap, and each is shorter than a tick.
        let report = report([continuous(0, 100), continuous(50, 100)])
        #expect(report.items.count == 4)
        #expect((report.exact, report.degraded, report.notPlayed) == (0, 2, 0))
    }

    @Test func itemsCarryTheirPlaceInTheFile() throws {
        let text = """
            {"Pattern": [
              {"Event": {"EventType": "HapticTransient", "Time": 0.5, "EventParameters": [
                {"ParameterID": "HapticIntensity", "ParameterValue": 0}]}}
            ]}
            """
        let pattern = try AHAPReader.read(Array(text.utf8)).pattern
        let item = try #require(HapticCompiler.compile(pattern).report.items.first)
        #expect(item.location?.line == 2)
        #expect(item.time == 500_000)
        #expect(item.line(file: "a.ahap").hasPrefix("a.ahap:2:"))
        #expect(item.line(file: "a.ahap").hasSuffix("[silent-tap]"))
    }
}

/// The deviation of streams from their patterns, in just-noticeable differences (JND).
@Suite struct FidelityTests {
    private let pattern = HapticPattern(events: [
        HapticEvent(
            .hapticContinuous, time: 100, duration: 1_000_000, intensity: 0.5, sharpness: 0.5)
    ])

    @Test func aStreamIsNearerToItsPatternThanIsNoticed() {
        let fidelity = Fidelity(of: HapticCompiler.compile(pattern).events, against: pattern)
        #expect(fidelity.onset == 100)
        #expect(fidelity.level <= 2)
        #expect(fidelity.levelJND < 1)
    }

    @Test func aWrongLevelIsNoticed() {
        let wrong = [StreamEvent(.level(64), at: 0), StreamEvent(.end, at: 4_000)]
        let fidelity = Fidelity(of: wrong, against: pattern)
        #expect(fidelity.level == 63.5)
        #expect(fidelity.levelJND > 2)
        #expect(fidelity.sharpness == nil && fidelity.sharpnessJND == nil, "none was sent")
    }

    @Test func aWrongSharpnessIsNoticedByItsFrequency() throws {
        let wrong = [
            StreamEvent(.levelSharpness(level: 128, sharpness: 0), at: 0),
            StreamEvent(.end, at: 4_000),
        ]
        let fidelity = Fidelity(of: wrong, against: pattern)
        #expect(fidelity.sharpness == 127.5)
        // The frequency is 65 Hz instead of 182.5 Hz, and one JND is 18 %.
        let jnd = try #require(fidelity.sharpnessJND)
        #expect(abs(jnd - 117.5 / (0.18 * 182.5)) < 1e-9)
    }

    @Test func tapsAreComparedOneByOne() throws {
        let taps = HapticPattern(
            events: [0, 100_000, 200_000].map {
                HapticEvent(.hapticTransient, time: $0, intensity: 0.6, sharpness: 0.2)
            })
        let right = HapticCompiler.compile(taps).events
        let fidelity = Fidelity(of: right, against: taps)
        #expect(fidelity.lostTaps == 0 && fidelity.addedTaps == 0)
        #expect(fidelity.level <= 2)
        #expect(try #require(fidelity.sharpness) <= 4)
        let wrong = [
            StreamEvent(.tap(intensity: 51, sharpness: 51), at: 0),
            StreamEvent(.tap(intensity: 153, sharpness: 51), at: 400),
            StreamEvent(.tap(intensity: 153, sharpness: 51), at: 600),
            StreamEvent(.end, at: 1_000),
        ]
        let other = Fidelity(of: wrong, against: taps)
        #expect(other.lostTaps == 1 && other.addedTaps == 1)
        #expect(other.level == 102 && other.sharpness == 0)
        #expect(abs(other.levelJND - 102 / (0.2 * 153)) < 1e-9)
    }

    @Test func aJumpMayComeOneTickOffItsTime() {
        let step = HapticPattern(events: [
            HapticEvent(
                .hapticContinuous, time: 1_016, duration: 1_000_000, intensity: 1, sharpness: 0.5)
        ])
        let fidelity = Fidelity(of: HapticCompiler.compile(step).events, against: step)
        #expect(fidelity.level <= 2)
    }

    @Test func fromNothingToFullLevelThereAreNineteenSteps() {
        #expect(Int(Fidelity.steps(between: 0, and: 255)) == 18)
        #expect(abs(Fidelity.steps(between: 100, and: 120) - 1) < 1e-12)
        #expect(Fidelity.steps(between: 8, and: 0) == 0, "neither tap is perceived")
    }
}
