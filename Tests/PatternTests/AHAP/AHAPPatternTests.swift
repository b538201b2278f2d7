// Tests of the properties of whole patterns: order, duration, endless events, and equality.

import AHAP
import HapticPatterns
import Testing

struct AHAPPatternTests {
    @Test func partsComeInOrderOfTimeAndThoseOfOneTimeInOrderOfTheFile() throws {
        func tap(_ time: String, _ intensity: String) -> String {
            event(
                "\"Time\": \(time), \"EventType\": \"HapticTransient\", "
                    + "\"EventParameters\": [\(parameter("HapticIntensity", intensity))]")
        }
        let file = pattern(tap("0.5", "0.1"), tap("0.2", "0.2"), tap("0.5", "0.3"), tap("0", "0.4"))
        let events = try read(file).pattern.events
        #expect(events.map(\.intensity) == [0.4, 0.2, 0.1, 0.3])
        #expect(events.map(\.location?.entryIndex) == [3, 1, 0, 2])
    }

    private static let continuous = HapticEvent(
        .hapticContinuous, time: 250_000, duration: 1_000_000)

    @Test(
        arguments: [
            (HapticPattern(), 0),
            (HapticPattern(events: [.init(.hapticTransient, time: 300_000)]), 300_000),
            (HapticPattern(events: [continuous]), 1_250_000),
            (
                HapticPattern(events: [continuous, .init(.hapticTransient, time: 400_000)]),
                1_250_000
            ),
            (
                HapticPattern(events: [.init(.hapticTransient, time: 300_000, duration: 700_000)]),
                1_000_000
            ),
            (HapticPattern(events: [.init(.hapticContinuous, time: 5)]), 5),
            (
                HapticPattern(
                    events: [continuous],
                    parameters: [.init(.hapticIntensityControl, time: 2_000_000, value: 1)]),
                2_000_000
            ),
            (
                HapticPattern(curves: [
                    .init(
                        .hapticIntensityControl, time: 250_000,
                        points: [.init(time: 1_000_000, value: 1)])
                ]), 1_250_000
            ),
        ] as [(HapticPattern, Microseconds)])
    func theDurationIsTheLatestEnd(_ pattern: HapticPattern, _ duration: Microseconds) {
        #expect(pattern.length == duration)
    }

    @Test(arguments: [
        (HapticEvent(.hapticContinuous, time: 0), true),
        (HapticEvent(.hapticContinuous, time: 0, duration: 0), true),
        (HapticEvent(.hapticContinuous, time: 0, duration: 1), false),
        (HapticEvent(.hapticContinuous, time: 0, envelope: Envelope(sustained: false)), false),
        (HapticEvent(.hapticTransient, time: 0), false),
        (HapticEvent(.audioCustom, time: 0), false),
    ])
    func onlyASustainedContinuousEventWithoutDurationIsEndless(
        _ event: HapticEvent, _ isEndless: Bool
    ) {
        #expect(event.isEndless == isEndless)
        #expect(HapticPattern(events: [event]).isEndless == isEndless)
    }

    @Test func patternsAreEqualWhenTheyMeanTheSameWhereverTheyStand() throws {
        let spread = tap.replacing(", ", with: ",\n")
        #expect(try read(pattern(tap)).pattern == read("\n\n" + pattern(spread)).pattern)
        #expect(try read(pattern(tap)).pattern != read(pattern(tap, tap)).pattern)
    }

    @Test func aDocumentMadeInCodeMeansWhatItsFileWouldMean() throws {
        let document = AHAPDocument(pattern: [
            .event(
                .init(
                    .hapticContinuous, time: 0.5, eventDuration: 1,
                    eventParameters: [.init(.hapticIntensity, 0.8)])),
            .parameter(.init(.hapticSharpnessControl, time: 0.1, -0.25)),
            .parameterCurve(
                .init(.hapticIntensityControl, time: 1, controlPoints: [.init(time: 0, 0.5)])),
        ])
        let made = try AHAPReader.read(document, options: .init(strict: true)).pattern
        #expect(try read(AHAPWriter.text(of: document), strict: true).pattern == made)
        #expect(made.events[0].intensity == 0.8 && made.events[0].location == nil)
    }

    @Test(arguments: ["1e300", "3.4028235e38", "1e999"])
    func aDurationAsGreatAsANumberCanBeIsWithoutEnd(_ duration: String) throws {
        let text = """
            {"Pattern": [{"Event": {"EventType": "HapticContinuous", "EventDuration": \(duration)}}]}
            """
        let event = try read(text).pattern.events[0]
        #expect(event.length == nil && event.isEndless)
    }

    @Test(arguments: [-1, .infinity, .nan, 1e12] as [Double])
    func impossibleTimesOfADocumentMadeInCodeAreRefused(_ time: Double) {
        let document = AHAPDocument(pattern: [.event(.init(.hapticTransient, time: .init(time)))])
        let error = #expect(throws: AHAPError.self) { _ = try AHAPReader.read(document) }
        #expect(error?.code == .invalidEventTime)
        #expect(error?.location == nil)
    }
}
