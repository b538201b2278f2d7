// Tests of the readers of all formats: the meaning of a file, and the reasons for rejections.

import HapticPatterns
import PatternFormats
import Testing

@Suite struct ReaderTests {
    @Test(arguments: samples.indices) func readsTheSample(index: Int) throws {
        let sample = samples[index]
        #expect(PatternFormats.format(of: Array(sample.text.utf8)).name == sample.name)
        let events = try readText(sample.text).pattern.events
        #expect(events.count { $0.type == .hapticTransient } == sample.taps)
        #expect(events.count { $0.type == .hapticContinuous } == sample.continuous)
    }

    @Test func readsAmplitudesByTheLaw() throws {
        let text = haptic(breakpoint("0", "0.25") + "," + breakpoint("1", "0.81"))
        for (law, levels) in [(IntensityLaw.sqrt, [0.5, 0.9]), (.linear, [0.25, 0.81])] {
            let signal = HapticSignal(try readText(text, law: law).pattern)
            #expect(signal.intensityPoints.map(\.value) == levels)
            #expect(signal.intensityPoints.map(\.time) == [0, 1_000_000])
        }
    }

    @Test func keepsAnEmphasisStrongUnderAWeakEnvelope() throws {
        let text = haptic(
            breakpoint("0", "0.01") + "," + breakpoint("0.5", "0.01", emphasis: "1") + ","
                + breakpoint("1", "0.0121"))
        let pattern = try readText(text).pattern
        let signal = HapticSignal(pattern)
        #expect(signal.taps.map(\.intensity) == [1] && signal.taps.map(\.sharpness) == [0.7])
        #expect(signal.intensityPoints.allSatisfy { $0.value > 0.09 && $0.value < 0.12 })
        let control = ControlTimeline(.hapticIntensityControl, of: pattern)
        #expect(control.value(at: 500_000) == 1 && control.value(at: 502_000) < 0.11)
    }

    @Test func playsALoudestNoteWhereNotesOverlap() throws {
        let one = HapticSignal(pieces: [
            .init(from: 0, to: 1_000, intensity: (0, 1), sharpness: (0, 0))
        ])
        let other = HapticSignal(pieces: [
            .init(from: 0, to: 1_000, intensity: (1, 0), sharpness: (1, 1))
        ])
        let merged = HapticSignal.merged([one, other])
        #expect(merged.pieces.map(\.start) == [0, 500])
        #expect(merged.pieces.map(\.startSharpness) == [1, 0])
        #expect(merged.pieces.map(\.startIntensity) == [1, 0.5])
    }

    @Test func limitsCurvesAndEvents() throws {
        let points = (0..<60).map { breakpoint("\($0)", "0.\($0 % 7 + 1)") }
        let pattern = try readText(haptic(points.joined(separator: ","))).pattern
        #expect(pattern.curves.allSatisfy { $0.points.count <= 16 && $0.points[0].time == 0 })
        #expect(pattern.events.map(\.length) == [30_000_000, 29_000_000])
        #expect(HapticSignal(pattern).intensityPoints.count == 60)
    }

    @Test func readsMIDI() throws {
        let track: [UInt8] =
            [0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40]  // 60 beats per minute
            + [0, 0x99, 36, 127, 0, 0x90, 96, 64]  // a drum and a note
            + [96, 0x80, 96, 0, 0, 0xFF, 0x2F, 0]
        let bytes: [UInt8] =
            Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96]
            + Array("MTrk".utf8) + [0, 0, 0, UInt8(track.count)] + track
        let events = try PatternFormats.read(bytes).pattern.events
        #expect(events.map(\.type) == [.hapticTransient, .hapticContinuous])
        #expect(events.map(\.sharpness) == [0, 1])
        #expect(events[1].length == 1_000_000)
        for length in 4..<bytes.count {
            // If a file is truncated at any byte, the reader either reads the file up to this byte
            // or rejects the file with a position.
            do throws(FormatError) {
                _ = try PatternFormats.read(Array(bytes.prefix(length)))
            } catch {
                #expect("\(error)".hasPrefix("byte "))
            }
        }
    }

    @Test(arguments: [
        (haptic(breakpoint("0", "0.5"), version: "2"), "1:23: error: version 2 is not supported"),
        (haptic(breakpoint("0", "0.5")), "2:14: error: the amplitude must have at"),
        (haptic(breakpoint("0", "1.5") + "," + breakpoint("1", "0")), "\"amplitude\" is 1.5; it"),
        (haptic(breakpoint("0", "1") + "," + breakpoint("0", "0")), "the file lasts 0 s"),
        (haptic(breakpoint("1", "1") + "," + breakpoint("0.5", "0")), "earlier than the previous"),
        (haptic(breakpoint("0", "1") + "," + breakpoint("1e9", "0")), "\"time\" is 1e9; it must"),
        (haptic(breakpoint("0", "1") + "," + breakpoint("1e999", "0")), "\"time\" is 1e999;"),
        (
            haptic(breakpoint("0", "0.5", emphasis: "0.2") + "," + breakpoint("1", "0")),
            "is below its breakpoint's amplitude"
        ),
        (
            haptic(breakpoint("0", "1") + "," + breakpoint("1", "0"), version: "1.5"),
            "1:23: error: version 1.5 is not supported; the only supported version is 1"
        ),
        (
            haptic(
                breakpoint("0", "1") + "," + breakpoint("1", "0"),
                frequency: """
                    {"time": 1, "frequency": 1},
                    {"time": 1.0001, "frequency": 0}
                    """),
            "4:10: error: the frequency continues after the last breakpoint of the amplitude"
        ),
        ("{\"timings\": [], \"amplitudes\": []}", "1:1: error: the file contains no"),
        ("{\"Timings\": [0], \"Amplitudes\": [0]}", "1:1: error: the file contains no"),
        ("{\"perceptions\": []}", "1:1: error: the file contains no"),
        ("{\"m_vibration\": {\"m_melodies\": []}}", "1:1: error: the file contains no"),
        ("{\"version\": 2, \"pwleSignal\": {}}", "1:1: error: the file contains no"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><vibration-effect/>", "1:1: error: a document type is"),
        ("<vibration-effect>&a;</vibration-effect>", "1:19: error: unexpected text"),
        ("<vibration-effect a=\"&b;\"/>", "only the entities lt"),
        ("<vibration-effect></vibration-effect>", "1:1: error: the effect is empty"),
        (
            "<vibration-effect><primitive-effect name=\"lick\"/></vibration-effect>",
            "lick is unknown"
        ),
        (
            "<vibration-effect><primitive-effect name=\"click\" scale=\"NaN\"/></vibration-effect>",
            "scale is \"NaN\"; it must be in"
        ),
        (
            "<vibration-effect>\n<waveform-effect/>\n</vibration-effect>",
            "2:1: error: the waveform lasts 0 ms"
        ),
        ("{\"timings\": [1], \"amplitudes\": [1, 2]}", "1 timings, but 2 amplitudes"),
        ("{\"timings\": [1], \"amplitudes\": [256]}", "\"amplitudes\" is 256; it must be in"),
        ("{\"m_vibration\": {\"m_melodies\": 1}}", "expected an array for \"m_melodies\""),
        (
            "{\"perceptions\": [{\"channels\": [{\"bands\": [{}]}]}]}",
            "the band type \"\" is unknown"
        ),
        ("{\"pwleSignal\": {}, \"version\": 3}", "version 3 is not supported"),
        (
            "{\"Metadata\": {\"Version\": 3}, \"PatternList\": []}",
            "1:26: error: this version is not supported; the latest supported version is 2"
        ),
        (
            "{\"PatternList\": [{\"AbsoluteTime\": 0, \"Pattern\": [{\"Event\": {\"Type\": \"loud\", "
                + "\"RelativeTime\": 0, \"Parameters\": {\"Intensity\": 1, \"Frequency\": 1}}}]}]}",
            "the event type \"loud\" is unknown"
        ),
        (
            "{\"MetaData\": {\"Version\": 2}, \"Channels\": []}",
            "1:26: error: this version is not supported; the latest supported version is 1"
        ),
        ("{\"MetaData\": {}, \"Channels\": []}", "1:1: error: the file contains no"),
        ("{\"version\": {\"major\": 2}}", "1:1: error: \"clips\" is missing here"),
        (project([]), "1:1: error: a project of Meta Haptics Studio with 0 clips"),
        (
            project([("a", "{}"), ("b", "{}")]),
            "1:1: error: a project of Meta Haptics Studio with 2 clips: \"a\", \"b\""
        ),
        (project([("a", haptic(breakpoint("0", "1")))]), "must have at least two breakpoints"),
    ]) func refusesWithPlaceAndReason(text: String, message: String) {
        let refusal = refusal(of: text)
        #expect(refusal.contains(message), "\(refusal)")
        #expect(refusal.first?.isNumber == true, "\(refusal)")
    }

    /// Checks a frequency that lasts slightly longer than the amplitude. Lofelt Studio wrote files
    /// like this one, because it rounded the times of frequencies up.
    @Test func readsAFrequencyThatLastsALittleLonger() throws {
        let text = haptic(
            breakpoint("0", "1") + "," + breakpoint("1", "1"),
            frequency: """
                {"time": 0, "frequency": 0}, {"time": 1.01, "frequency": 0.5},
                {"time": 1.02, "frequency": 0.5}
                """)
        let read = try readText(text, law: .linear)
        #expect(read.losses.map(\.verdict) == [.notPlayed])
        let last = try #require(HapticSignal(read.pattern).sharpnessPoints.last)
        #expect(last.time == 1_000_000 && abs(last.value - 0.495) < 0.001)
    }

    @Test func refusesAMIDIFileWithoutNotesWithTheByte() {
        let bytes: [UInt8] =
            Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96]
            + Array("MTrk".utf8) + [0, 0, 0, 4, 0, 0xFF, 0x2F, 0]
        do throws(FormatError) {
            _ = try PatternFormats.read(bytes)
            Issue.record("it is read")
        } catch {
            #expect(
                "\(error)"
                    == "byte 0: error: the file contains no perceptible tap or level [nothing-plays]"
            )
        }
    }

    @Test(arguments: samples.indices) func readsAFileAsWindowsWritesIt(index: Int) throws {
        let sample = samples[index]
        let text = "\u{FEFF}" + sample.text.replacing("\n", with: "\r\n")
        #expect(try readText(text).pattern == readText(sample.text).pattern)
    }

    @Test(arguments: samples.indices) func namesTheEncodingOfATextInUTF16(index: Int) {
        let units = Array(samples[index].text.utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let marked: [[UInt8]] = [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big]
        for bytes in [little, big] + marked {
            #expect(refusal(of: bytes) == "1:1: error: the text is encoded as UTF-16")
        }
        let wide: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), 0, 0, 0] }
        #expect(
            refusal(of: [0xFF, 0xFE, 0, 0] + wide) == "1:1: error: the text is encoded as UTF-32")
    }

    @Test(arguments: samples.indices) func survivesATruncatedFile(index: Int) {
        let bytes = Array(samples[index].text.utf8)
        for length in bytes.indices { _ = try? PatternFormats.read(Array(bytes.prefix(length))) }
    }

    @Test func refusesADeepFile() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(refusal(of: deep).contains("nesting depth"))
    }

    @Test func refusesAnEnormousFile() {
        #expect(refusal(of: String(repeating: " ", count: 17 << 20)).contains("the limit is"))
    }
}
