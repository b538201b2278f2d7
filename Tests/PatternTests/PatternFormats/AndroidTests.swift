// Tests of every element and attribute in Android's XML format, and of the arrays of
// `createWaveform`.

import HapticPatterns
import PatternFormats
import Testing

/// Returns the text of an effect. The content of the effect begins in line 2.
private func effect(_ content: String) -> String {
    "<vibration-effect>\n\(content)\n</vibration-effect>"
}

@Suite struct AndroidXMLTests {
    @Test func readsEveryAttribute() throws {
        let text = effect(
            """
            <basic-envelope-effect initialSharpness="0.25" startTimeMs="100">
            <control-point intensity="1" sharpness="0.75" durationMs="50"/>
            <control-point durationMs="50" intensity="0" sharpness="0.75"/>
            </basic-envelope-effect>
            <waveform-envelope-effect initialFrequencyHz="65" startTimeMs="300">
            <control-point amplitude="0.25" frequencyHz="300" durationMs="100"/>
            </waveform-envelope-effect>
            """)
        let read = try readText(text)
        let signal = HapticSignal(read.pattern)
        #expect(
            values(signal.intensityPoints) == [
                [100, 0], [150, 1], [200, 0], [300, 0], [400, 0.5],
            ])
        #expect(values(signal.sharpnessPoints).first == [100, 0.25])
        #expect(values(signal.sharpnessPoints).last == [400, 1])
        #expect(losses(read).isEmpty)
    }

    @Test func readsAWaveformThatRepeats() throws {
        let text = effect(
            """
            <waveform-effect><waveform-entry durationMs="10" amplitude="default"/>
            <waveform-entry durationMs="20" amplitude="0"/>
            <repeating><waveform-entry durationMs="30" amplitude="255"/></repeating>
            </waveform-effect>
            """)
        let read = try readText(text)
        #expect(levels(read) == [[0, 1], [10, 1], [10, 0], [30, 0], [30, 1], [60, 1]])
        let message = "the waveform repeats indefinitely, but it is played only once"
        #expect(losses(read) == ["4:1: degraded: " + message])
    }

    @Test func entriesMayHaveStartTimes() throws {
        let text = effect(
            """
            <waveform-effect><waveform-entry durationMs="10" amplitude="255" startTimeMs="5"/>
            <waveform-entry durationMs="10" amplitude="255" startTimeMs="40"/></waveform-effect>
            """)
        #expect(
            try levels(readText(text)) == [
                [5, 1], [15, 1], [15, 0], [40, 0], [40, 1], [50, 1],
            ])
    }

    @Test func readsARepeatingEffect() throws {
        let text = effect(
            """
            <repeating-effect>
            <preamble><waveform-entry durationMs="10" amplitude="255"/></preamble>
            <repeating><primitive-effect name="click" delayMs="5"/></repeating>
            </repeating-effect>
            """)
        let read = try readText(text)
        #expect(levels(read) == [[0, 1], [10, 1]] && taps(read) == [15])
        let message =
            "4:1: degraded: the effect repeats indefinitely, but it is played only once"
        #expect(losses(read).contains(message))
    }

    /// Checks the example in Android's test of the class PrimitiveDelayAdapter. An offset counts
    /// from the start of the previous primitive, and a primitive is not played if it starts before
    /// the previous primitive ends. In this project, a click lasts 12 ms.
    @Test func readsBothTypesOfDelays() throws {
        func click(_ delay: Int, _ type: String) -> String {
            "<primitive-effect name=\"click\" delayMs=\"\(delay)\" delayType=\"\(type)\"/>\n"
        }
        let offset = "relative_start_offset"
        let read = try readText(
            effect(click(100, offset) + click(10, offset) + click(0, offset) + click(10, offset)))
        #expect(taps(read) == [100, 120])
        #expect(
            read.losses.filter { $0.verdict == .notPlayed }.map {
                $0.location?.sourceLocation?.line
            } == [3, 4])
        let pause = try readText(effect(click(100, "PAUSE") + click(10, "pause")))
        #expect(taps(pause) == [100, 122])
    }

    @Test func readsNamesInAnyCase() throws {
        let text = effect(
            """
            <predefined-effect name="Double_Click" fallback="true"/>
            <primitive-effect name="TICK" scale="0.5"/>
            """)
        #expect(try taps(readText(text)) == [0, 100, 112])
    }

    @Test func ignoresNamespaces() throws {
        let text = """
            <vibration-effect xmlns:xs="http://www.w3.org/2001/XMLSchema">
            <predefined-effect name="click"/></vibration-effect>
            """
        #expect(try taps(readText(text)) == [0])
    }

    // MARK: Effects without contents

    @Test func selectsTheFirstEffectThatIsNotForOneMaker() throws {
        let text = """
            <vibration-select>
            <vibration-effect><vendor-effect>AAAA=</vendor-effect></vibration-effect>
            <vibration-effect><predefined-effect name="click"/></vibration-effect>
            <vibration-effect><predefined-effect name="double_click"/></vibration-effect>
            </vibration-select>
            """
        let read = try readText(text)
        #expect(taps(read) == [0])
        let message = "of 3 effects to select from, only effect 2 is read"
        #expect(losses(read).first == "2:1: not played: " + message)
    }

    @Test(arguments: [
        (
            effect("<vendor-effect>AAAA=</vendor-effect>"),
            "2:1: error: the file contains no perceptible tap or level: a vendor-effect contains "
                + "data for the devices of one manufacturer"
        ),
        (
            effect("<predefined-effect name=\"ringtone_15\"/>"),
            "2:1: error: the file contains no perceptible tap or level: a ringtone is not played, "
                + "because it is stored in the device, not in the file"
        ),
        ("<vibration-select/>", "1:1: error: there is no effect to select"),
        (
            "<vibration-select><vibration-effect/></vibration-select>",
            "1:19: error: the effect is empty"
        ),
    ]) func refusesAFileWithoutContents(text: String, message: String) {
        #expect(refusal(of: text) == message)
    }

    // MARK: Unknown elements and attributes

    @Test(arguments: [
        ("<primitive-effect name=\"click\" delayMS=\"9\"/>", "2:32", "primitive-effect"),
        ("<primitive-effect b=\"\" name=\"click\" a=\"\"/>", "2:19", "primitive-effect"),
        ("<predefined-effect name=\"click\" scale=\"1\"/>", "2:33", "predefined-effect"),
        ("<waveform-effect repeat=\"0\"/>", "2:18", "waveform-effect"),
        ("<waveform-effect>\n<waveform-entry intensity=\"1\"/>", "3:17", "waveform-entry"),
        ("<waveform-effect>\n<repeating count=\"2\"/>", "3:12", "repeating"),
        ("<repeating-effect count=\"2\"/>", "2:19", "repeating-effect"),
        ("<repeating-effect><preamble a=\"\"/>", "2:29", "preamble"),
        ("<basic-envelope-effect initialFrequencyHz=\"1\"/>", "2:24", "basic-envelope-effect"),
        ("<basic-envelope-effect>\n<control-point amplitude=\"1\"/>", "3:16", "control-point"),
        ("<waveform-envelope-effect scale=\"1\"/>", "2:27", "waveform-envelope-effect"),
        ("<waveform-envelope-effect>\n<control-point intensity=\"1\"/>", "3:16", "control-point"),
        ("<vendor-effect name=\"a\"/>", "2:16", "vendor-effect"),
    ]) func refusesAnUnknownAttribute(start: String, location: String, name: String) {
        var names = start.matches(of: /<([a-z-]+)[^\/>]*>/).map { String($0.output.1) }
        var text = start
        while let open = names.popLast() { text += "</\(open)>" }
        let refusal = refusal(of: effect(text))
        #expect(refusal.hasPrefix("\(location): error: the attribute "), "\(refusal)")
        #expect(refusal.hasSuffix(" is not allowed in \(name)"), "\(refusal)")
    }

    @Test(arguments: [
        ("<vibration/>", "1:1: error: the element vibration is not allowed in the file"),
        ("<vibration-effect id=\"1\"/>", "1:19: error: the attribute id is not allowed"),
        ("<vibration-select id=\"1\"/>", "1:19: error: the attribute id is not allowed"),
        (
            "<vibration-select><vibration-select/></vibration-select>",
            "1:19: error: the element vibration-select is not allowed in vibration-select"
        ),
        (effect("<repeating/>"), "2:1: error: the element repeating is not allowed in vibration"),
        (effect("<primitive-effect name=\"noop\"/>"), "2:19: error: the primitive noop is unknown"),
        (effect("<predefined-effect name=\"ringtone_16\"/>"), "ringtone_16 is unknown"),
        (
            effect("<predefined-effect name=\"click\" fallback=\"maybe\"/>"),
            "2:33: error: fallback is \"maybe\", which is unknown"
        ),
        (
            effect("<primitive-effect name=\"click\" delayType=\"offset\"/>"),
            "2:32: error: delayType is \"offset\", which is unknown"
        ),
        (
            effect("<primitive-effect name=\"click\">a</primitive-effect>"),
            "2:32: error: unexpected"
        ),
        (effect("<repeating-effect/>"), "2:1: error: repeating-effect may contain only"),
        (
            effect("<repeating-effect><repeating/></repeating-effect>"),
            "2:19: error: repeating is empty"
        ),
        (
            effect("<waveform-effect><repeating/></waveform-effect>"),
            "2:18: error: repeating is empty"
        ),
        (
            effect(
                "<waveform-effect><repeating/><waveform-entry durationMs=\"1\" amplitude=\"1\"/>"
                    + "</waveform-effect>"), "repeating is not allowed between waveform entries"
        ),
        (
            effect(
                "<repeating-effect><repeating><waveform-entry durationMs=\"1\" amplitude=\"1\"/>"
                    + "<predefined-effect name=\"click\"/></repeating></repeating-effect>"),
            "predefined-effect is not allowed between waveform entries"
        ),
        (effect("<basic-envelope-effect/>"), "2:1: error: basic-envelope-effect is empty"),
        (effect("<waveform-envelope-effect/>"), "2:1: error: waveform-envelope-effect is empty"),
    ]) func refusesWithTheReason(text: String, message: String) {
        #expect(refusal(of: text).contains(message), "\(refusal(of: text))")
    }

    @Test func theAdviceListsWhatIsAllowed() throws {
        let error = #expect(throws: FormatError.self) {
            try readText(effect("<primitive-effect name=\"click\" delay=\"9\"/>"))
        }
        #expect(error?.advice == "use one of these: delayMs, delayType, name, scale")
    }

    /// Checks the written form of silence: Android rejects an empty effect, and has no primitive
    /// that plays nothing.
    @Test func writesAPauseIfNothingIsPerceptible() throws {
        let format = try #require(PatternFormats.named("android") as? any WritablePatternFormat)
        let text = String(decoding: try format.write(HapticPattern(), law: .sqrt), as: UTF8.self)
        #expect(text.contains("<waveform-entry durationMs=\"1\" amplitude=\"0\"/>"))
    }
}

@Suite struct AndroidArraysTests {
    @Test func timingsAloneBeginWithAPause() throws {
        let read = try readText("{\"timings\": [50, 100, 50, 200, 7]}")
        #expect(levels(read) == [[50, 1], [150, 1], [150, 0], [200, 0], [200, 1], [400, 1]])
        #expect(losses(read).isEmpty)
    }

    @Test func minusOneIsTheDefaultAmplitude() throws {
        let arrays = try readText("{\"timings\": [10, 20], \"amplitudes\": [-1, 0]}")
        let xml = try readText(
            effect(
                "<waveform-effect><waveform-entry durationMs=\"10\" amplitude=\"default\"/>"
                    + "<waveform-entry durationMs=\"20\" amplitude=\"0\"/></waveform-effect>"))
        #expect(levels(arrays) == levels(xml) && levels(xml) == [[0, 1], [10, 1]])
    }

    @Test func aWaveformThatRepeatsIsPlayedOnce() throws {
        for text in [
            "{\"timings\": [0, 10, 5, 10], \"repeat\": 1}",
            "{\"pattern\": [0, 10, 5, 10], \"repeat\": 0}",
        ] {
            let read = try readText(text)
            #expect(levels(read) == [[0, 1], [10, 1], [10, 0], [15, 0], [15, 1], [25, 1]])
            #expect(
                read.losses.map(\.message) == [
                    "the waveform repeats indefinitely, but it is played only once"
                ])
        }
    }

    @Test func reportsAnArrayWithAnUnknownName() throws {
        let read = try readText("{\"timings\": [0, 10], \"amplitude\": [0, 9], \"name\": \"a\"}")
        #expect(losses(read) == ["1:22: degraded: the array \"amplitude\" is not read"])
    }

    @Test(arguments: [
        ("{\"timings\": []}", "1:1: error: the file contains no perceptible tap or level"),
        ("{\"timings\": [0, 0]}", "1:1: error: the file contains no perceptible tap or level"),
        ("{\"timings\": [10, 20], \"amplitudes\": [0, 0]}", "1:1: error: the file contains no"),
        ("{\"timings\": [100]}", "1:1: error: the file contains no perceptible tap or level"),
        ("{\"timings\": [1, 2], \"amplitudes\": [1]}", "1:35: error: 2 timings, but 1 amplitudes"),
        ("{\"timings\": [1], \"amplitudes\": []}", "1:32: error: 1 timings, but 0 amplitudes"),
        ("{\"pattern\": [1], \"intensities\": [1, 2]}", "1 pattern, but 2 intensities"),
        ("{\"timings\": [1], \"amplitudes\": [-2]}", "1:33: error: \"amplitudes\" is -2; it must"),
        ("{\"timings\": [-1, 1]}", "1:14: error: \"timings\" is -1; it must be in the range 0"),
        ("{\"timings\": [0, 1], \"repeat\": 2}", "1:31: error: \"repeat\" is 2; it must be in"),
        ("{\"timings\": 5}", "1:13: error: expected an array for \"timings\""),
        ("{\"timings\": [0, \"1\"]}", "1:17: error: expected a number for \"timings\""),
        (" [200, 100]", "1:2: error: an array alone does not state"),
    ]) func refusesWithTheReason(text: String, message: String) {
        #expect(refusal(of: text).contains(message), "\(refusal(of: text))")
    }
}
