// Tests of Interhaptics' .haps files: their versions, and missing parts.

import HapticPatterns
import PatternFormats
import Testing

@Suite struct HapsTests {
    /// Returns the text of a .haps file with a note of 1 s. The note begins in line 2.
    private func haps(_ version: String, amplitude: String, frequency: String) -> String {
        """
        {\(version)"m_vibration": {"m_melodies": [{"m_notes": [
        {"m_startingPoint": 0, "m_length": 1, "m_hapticEffect": {"m_type": 1,
        "m_amplitudeModulation": {\(amplitude)},
        "m_frequencyModulation": {\(frequency)}}}]}]}}
        """
    }

    private static let keyframes = "\"m_keyframes\": [{\"m_time\": 0, \"m_value\": 1}]"

    /// The texts of the version member, and the losses that they cause.
    private static let versions: [(String, [String])] = [
        ("\"m_version\": \"5\", ", []), ("\"m_version\": 5, ", []),
        (
            "\"m_version\": \"9\", ",
            ["1:15: degraded: version 9 is unknown; the file is read as version 5"]
        ),
        (
            "\"m_version\": 4, ",
            ["1:15: degraded: version 4 is unknown; the file is read as version 5"]
        ),
        (
            "\"m_version\": [], ",
            ["1:15: degraded: \"m_version\" is not a version; the file is read as version 5"]
        ),
        ("", ["1:1: degraded: \"m_version\" is missing; the file is read as version 5"]),
    ]

    @Test(arguments: versions)
    func reportsAVersionThatIsNotKnown(version: String, expected: [String]) throws {
        let text = haps(version, amplitude: Self.keyframes, frequency: Self.keyframes)
        let read = try readText(text)
        #expect(losses(read) == expected)
        #expect(levels(read) == [[0, 1], [1000, 1]])
    }

    @Test func reportsModulationsWithoutKeyframes() throws {
        let read = try readText(
            haps("\"m_version\": \"5\", ", amplitude: "\"m_key\": []", frequency: ""))
        #expect(
            Set(losses(read)) == [
                "3:26: degraded: \"m_amplitudeModulation\" has no \"m_keyframes\" and is ignored",
                "4:26: degraded: \"m_frequencyModulation\" has no \"m_keyframes\" and is ignored",
            ])
        #expect(levels(read) == [[0, 1], [1000, 1]])
    }
}
