// Tests of the times and levels of the events in the formats of RichTap and HarmonyOS.

import HapticPatterns
import PatternFormats
import Testing

@Suite struct VibratorEventTests {
    /// Returns the text of a RichTap file of version 1 with one event.
    private func he(_ event: String) -> String { "{\"Pattern\": [{\"Event\": {\(event)}}]}" }

    @Test func readsATap() throws {
        let events = try readText(
            he(
                """
                "Type": "transient", "RelativeTime": 250,
                "Parameters": {"Intensity": 80, "Frequency": 31}
                """)
        ).pattern.events
        #expect(events.map(\.type) == [.hapticTransient] && events.map(\.time) == [250_000])
        #expect(events.map(\.intensity) == [0.8] && events.map(\.sharpness) == [0.31])
    }

    @Test func readsALevelWithoutACurve() throws {
        let events = try readText(
            he(
                """
                "Type": "continuous", "RelativeTime": 20, "Duration": 300,
                "Parameters": {"Intensity": 60, "Frequency": 10}
                """)
        ).pattern.events
        #expect(events.map(\.time) == [20_000] && events.map(\.length) == [300_000])
        #expect(events.map(\.intensity) == [0.6] && events.map(\.sharpness) == [0.1])
    }

    /// Checks a curve that covers only a part of its event and whose frequency exceeds the range.
    @Test func multipliesTheIntensityAndAddsToTheFrequency() throws {
        let signal = HapticSignal(
            try readText(
                he(
                    """
                    "Type": "continuous", "RelativeTime": 100, "Duration": 100,
                    "Parameters": {"Intensity": 50, "Frequency": 90, "Curve": [
                    {"Time": 10, "Intensity": 1, "Frequency": 20},
                    {"Time": 60, "Intensity": 0.5, "Frequency": -40}]}
                    """)
            ).pattern)
        #expect(
            signal.intensityPoints == [
                Breakpoint(time: 100_000, value: 0.5), Breakpoint(time: 110_000, value: 0.5),
                Breakpoint(time: 160_000, value: 0.25), Breakpoint(time: 200_000, value: 0.25),
            ])
        #expect(
            signal.sharpnessPoints == [
                Breakpoint(time: 100_000, value: 1), Breakpoint(time: 110_000, value: 1),
                Breakpoint(time: 160_000, value: 0.5), Breakpoint(time: 200_000, value: 0.5),
            ])
    }

    @Test func addsTheTimeOfAListInVersion2AndReportsSides() throws {
        let tap = """
            {"Event": {"Type": "transient", "RelativeTime": 20, "Index": 2,
            "Parameters": {"Intensity": 100, "Frequency": 0}}}
            """
        let read = try readText(
            """
            {"Metadata": {"Version": 2}, "PatternList": [{"AbsoluteTime": 0, "Pattern": [\(tap)]},
            {"AbsoluteTime": 500, "Pattern": [\(tap), \(tap)]}]}
            """)
        #expect(read.pattern.events.map(\.time) == [20_000, 520_000, 520_000])
        #expect(read.losses.map(\.verdict) == [.degraded])
        #expect(read.losses[0].location?.sourceLocation?.line == 1)
    }

    @Test func mergesTheMotorsOfHarmonyOS() throws {
        let level = """
            {"Event": {"Type": "continuous", "StartTime": 0, "Duration": 100,
            "Parameters": {"Intensity": INTENSITY, "Frequency": 50}}}
            """
        let read = try readText(
            """
            {"MetaData": {"Version": 1, "ChannelNumber": 2}, "Channels": [
            {"Parameters": {"Index": 1}, "Pattern": [\(level.replacing("INTENSITY", with: "40"))]},
            {"Parameters": {"Index": 2}, "Pattern": [\(level.replacing("INTENSITY", with: "70"))]}]}
            """)
        #expect(read.pattern.events.map(\.intensity) == [0.7])
        #expect(read.losses.count == 1)
    }

    @Test func namesTheTypesInPlaceOfAMisspelledOne() {
        let text = he(
            """
            "Type": "transiant", "RelativeTime": 0,
            "Parameters": {"Intensity": 80, "Frequency": 31}
            """)
        do throws(FormatError) {
            _ = try PatternFormats.read(Array(text.utf8))
            Issue.record("it is read")
        } catch {
            #expect(error.message == "the event type \"transiant\" is unknown")
            #expect(error.advice == "use transient or continuous")
        }
    }

    @Test(arguments: [
        ("\"Intensity\": 101, \"Frequency\": 0", "\"Intensity\" is 101; it must be in"),
        ("\"Intensity\": 1, \"Frequency\": -1", "\"Frequency\" is -1; it must be in"),
        ("\"Frequency\": 0", "\"Intensity\" is missing here"),
        (
            "\"Intensity\": 1, \"Frequency\": 1, \"Curve\": [{\"Time\": 0, \"Intensity\": 2}]",
            "\"Intensity\" is 2; it must be in"
        ),
        (
            "\"Intensity\": 1, \"Frequency\": 1, \"Curve\": [{\"Time\": 5, \"Intensity\": 1}, "
                + "{\"Time\": 4, \"Intensity\": 1}]",
            "a point is earlier than the previous point"
        ),
    ]) func refusesValuesOutOfTheirRanges(parameters: String, message: String) {
        let refusal = refusal(
            of: he(
                "\"Type\": \"continuous\", \"RelativeTime\": 0, \"Duration\": 9, "
                    + "\"Parameters\": {\(parameters)}"))
        #expect(refusal.contains(message), "\(refusal)")
    }
}
