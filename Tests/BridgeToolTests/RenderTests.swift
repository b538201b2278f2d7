// Tests of `bridge render`: the contents of the picture, the sound, the plot and the data, and the
// failures.

import Foundation
import TestSupport
import Testing
import ToolSupport

@testable import bridge

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct RenderTests {
    let folder = Folder()

    /// A pattern of one second whose intensity rises to the maximum in the first quarter, falls to
    /// half in the second quarter, and then remains at half.
    private static let curved = #"""
        {"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous","EventDuration":1,
        "EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":1}]}},
        {"ParameterCurve":{"ParameterID":"HapticIntensityControl","Time":0,
        "ParameterCurveControlPoints":[{"Time":0,"ParameterValue":0},
        {"Time":0.25,"ParameterValue":1},{"Time":0.5,"ParameterValue":0.5}]}}]}
        """#

    private func svg(of path: String, _ options: String...) throws -> XMLPicture {
        let picture = folder.path("picture.svg")
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["render", path, "-o", picture] + options
        ).outcome()
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        return try XMLPicture(Data(contentsOf: URL(fileURLWithPath: picture)))
    }

    // MARK: The picture

    @Test func theDesignedIntensityIsALineThroughTheCornersOfThePattern() throws {
        let path = try folder.write("curved.ahap", Self.curved)
        let picture = try svg(of: path, "--profile", "reference")
        let line = try #require(picture.points(of: "designed-intensity"))
        // All diagrams share one time axis, so the times can be calculated from the ends of the
        // acceleration curve.
        let json = try Tool.bridge(
            "render", "--profile", "reference", "--json", path
        ).objects.first
        let shown = try #require(json?["shown_us"] as? Double)
        let acceleration = try #require(picture.points(of: "acceleration-lra"))
        let (left, right) = (acceleration[0].x, acceleration[acceleration.count - 1].x)
        let (top, bottom) = (line.map(\.y).min() ?? 0, line.map(\.y).max() ?? 0)
        let corners = line.map {
            (($0.x - left) / (right - left) * shown / 1e6, (bottom - $0.y) / (bottom - top))
        }
        let expected = [(0.0, 0.0), (0.25, 1.0), (0.5, 0.5), (1.0, 0.5), (1.0, 0.0)]
        #expect(corners.count == expected.count)
        for (corner, expected) in zip(corners, expected) {
            #expect(abs(corner.0 - expected.0) < 0.003 && abs(corner.1 - expected.1) < 0.002)
        }
        #expect(picture.texts.contains("curved.ahap"))
        #expect(picture.texts.contains { $0.hasPrefix("1.00 s, 1 continuous event, 1 curve; ") })
    }

    @Test func everyDiagramHasItsLines() throws {
        let picture = try svg(of: "success")
        for id in [
            "designed-taps", "stream-taps", "drive-lra", "drive-erm", "acceleration-lra",
            "acceleration-erm",
        ] {
            #expect(picture.ids.contains(id), "\(id)")
        }
        #expect(!picture.ids.contains("stream-level"), "the drive is 0 between the taps")
        #expect(picture.texts.contains("time, ms"))
    }

    @Test func aDensePatternStaysAPictureOfSaneSize() throws {
        let entries = (0..<3_000).map { index in
            let time = Double(index) / 100
            return #"{"Event":{"Time":\#(time),"EventType":"HapticTransient"}},"#
                + #"{"Event":{"Time":\#(time + 0.004),"EventType":"HapticContinuous","#
                + #""EventDuration":0.004}}"#
        }
        let text = #"{"Pattern":[\#(entries.joined(separator: ","))]}"#
        let picture = try svg(of: folder.write("dense.ahap", text), "--quiet")
        #expect(picture.size < 250_000, "\(picture.size) bytes")
        // Each column of pixels shows its first, minimum, maximum and last value.
        for points in picture.polylines.values { #expect(points.count <= 4 * 1_000) }
        #expect(picture.ids.contains("continuous-events"))
    }

    @Test func aFilesNameMayHoldWhatXMLReserves() throws {
        let path = try folder.write(#"a<b>&"c"'d'.ahap"#, Samples.tap)
        #expect(try svg(of: path).texts.contains(#"a<b>&"c"'d'.ahap"#))
    }

    @Test func aCompiledFileIsDrawnWithoutItsDesign() throws {
        let compiled = folder.path("tap.hbes")
        _ = try Tool.bridge("compile", folder.write("tap.ahap", Samples.tap), "-o", compiled)
        let picture = try svg(of: compiled)
        #expect(picture.ids.contains("stream-taps") && !picture.ids.contains("designed-taps"))
    }

    @Test func aPictureOnStandardOutputIsAllThatIsThere() throws {
        let outcome = try Tool.bridge("render", "-", "-o", "-", input: Data(Samples.tap.utf8))
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "))
        #expect(outcome.output.hasSuffix("</svg>\n"))
        _ = try XMLPicture(Data(outcome.output.utf8))
    }

    @Test(
        .enabled(if: InstalledProgram.find("rsvg-convert") != nil, "rsvg-convert is not installed"))
    func aPNGIsConvertedWhereAConverterIsInstalled() throws {
        let path = folder.path("tap.PNG")
        #expect(try Tool.bridge("render", "selection", "-o", path).status == 0)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // The width in the IHDR chunk is twice the width of the SVG.
        #expect(bytes[16..<20] == Data([0, 0, 0x07, 0xD0]))
    }

    // MARK: The sound

    @Test func aWaveFileHasItsHeaderAndLinearSamples() {
        // The sound lasts one millisecond, and contains samples beyond full scale.
        let wave = WaveFile(samples: [0, 1, 0.5, -1, 1.5, -2] + [Float](repeating: 0, count: 42))
        let bytes = wave.bytes
        #expect(
            bytes.prefix(44) == [
                0x52, 0x49, 0x46, 0x46, 0x84, 0x00, 0x00, 0x00, 0x57, 0x41, 0x56, 0x45,
                0x66, 0x6D, 0x74, 0x20, 0x10, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00,
                0x80, 0xBB, 0x00, 0x00, 0x00, 0x77, 0x01, 0x00, 0x02, 0x00, 0x10, 0x00,
                0x64, 0x61, 0x74, 0x61, 0x60, 0x00, 0x00, 0x00,
            ])
        #expect(bytes.count == 44 + 2 * 48)
        #expect(wave.samples.prefix(6) == [0, 32_767, 16_384, -32_767, 32_767, -32_767])
        #expect(bytes[46..<48] == [0xFF, 0x7F], "little endian")
    }

    @Test func theSoundLastsAsLongAsThePictureAndIsSilentWhereNothingDrives() throws {
        let path = folder.path("success.wav")
        let outcome = try Tool.bridge("render", "success", "--wav", path, "--json")
        let shown = try #require(outcome.objects.first?["shown_us"] as? Int)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.count == 44 + 2 * (shown * 48_000 / 1_000_000))
        // The sound of the first tap begins after the rise of the slower actuator's drive and lasts
        // for at most 0.04 s. The sound therefore ends within the first tenth of a second, and the
        // samples at 0.1 s are zero.
        let samples = bytes.dropFirst(44)
        #expect(samples.dropFirst(2 * 4_800).prefix(2 * 480).allSatisfy { $0 == 0 })
        #expect(samples.prefix(2 * 4_800).contains { $0 != 0 })
    }

    // MARK: The terminal

    @Test func withoutAnOutputThereIsAPlotOfEightyColumns() throws {
        let outcome = try Tool.bridge(
            "render", "--profile", "reference", folder.write("curved.ahap", Self.curved))
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 80 || $0 == lines[0] })
        #expect(lines.dropFirst(2).prefix(9).joined(separator: "\n") == Self.plot)
        #expect(lines.suffix(2).first?.hasPrefix("time, ms       0          200") == true)
    }

    /// The expected plot with 64 columns of 15.9 ms each: the peak at 250 ms is in column 16.
    private static let plot = """
        intensity   1 ┤            ▂▅▇██▇▆▅▄▃▂▁
                      │        ▂▄▆██████████████▇▆▄▃▂▁
                      │    ▂▄▆████████████████████████████████████████████████████████
                    0 ┤▂▄▆████████████████████████████████████████████████████████████
        sharpness   1 ┤
                    0 ┤▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
        stream    255 ┤          ▁▂▄▅▇██▇▆▅▅▄▃▂▂▁
                      │     ▁▃▄▆▇█████████████████▇▇▆▅▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
                    0 ┤▂▃▅▆███████████████████████████████████████████████████████████
        """

    // MARK: The data

    @Test func theDataIsWhatIsDrawn() throws {
        let path = try folder.write("curved.ahap", Self.curved)
        let object = try #require(try Tool.bridge("render", "--json", path).objects.first)
        #expect(object["schema"] as? String == "bridge.render/1")
        let design = try #require(object["design"] as? [String: Any])
        #expect(
            design["intensity"] as? [[Double]] == [
                [0, 0], [250_000, 1], [500_000, 0.5], [1_000_000, 0.5], [1_000_000, 0],
            ])
        #expect(design["continuous_us"] as? [[Int]] == [[0, 1_000_000]])
        let actuators = try #require(object["actuators"] as? [[String: Any]])
        #expect(actuators.map { $0["kind"] as? String } == ["lra", "erm"])
        for actuator in actuators {
            let drive = try #require(actuator["drive"] as? [[Int]])
            #expect(drive.map { $0[1] }.max() == 255 && drive.last?[1] == 0)
        }
    }

    /// Writes the profile of a wide-band actuator with two resonances. Returns the path of the
    /// profile.
    private func reactor(law: String) throws -> String {
        try folder.write(
            "reactor.json",
            #"{"name":"reactor","kind":"wide-band","description":"Two resonances.","#
                + #""tapDullMicroseconds":25000,"tapSharpMicroseconds":6700,"sustainedLevel":1,"#
                + #""fullLevelMilliseconds":0,"lowHertz":80,"highHertz":300,"law":"\#(law)","#
                + #""response":[[80,0.6],[160,1],[220,0.7],[300,0.9]]}"#)
    }

    /// Checks that the acceleration does not depend on the frequency, because the level compensates
    /// for the frequency response.
    @Test func aWideBandActuatorIsDrawnWithItsFrequency() throws {
        let profile = try reactor(law: "logarithmic")
        let path = try folder.write(
            "sweep.ahap",
            #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticContinuous","EventDuration":1,"#
                + #""EventParameters":[{"ParameterID":"HapticIntensity","ParameterValue":0.6},"#
                + #"{"ParameterID":"HapticSharpness","ParameterValue":0}]}},{"ParameterCurve":{"#
                + #""ParameterID":"HapticSharpnessControl","Time":0,"ParameterCurveControlPoints":["#
                + #"{"Time":0,"ParameterValue":0},{"Time":1,"ParameterValue":1}]}}]}"#)
        let object = try #require(
            try Tool.bridge("render", "--json", "--profile", profile, path).objects.first)
        let actuator = try #require((object["actuators"] as? [[String: Any]])?.first)
        #expect(actuator["kind"] as? String == "wide-band")
        let frequencies = try #require(actuator["frequency_hz"] as? [[Double]]).map { $0[1] }
        #expect(frequencies.first == 79.971)
        #expect(frequencies.last.map { abs($0 - 298.715) < 3 } == true)
        #expect(zip(frequencies, frequencies.dropFirst()).allSatisfy { $0 <= $1 })
        let acceleration = try #require(actuator["acceleration_g"] as? [Double])
        #expect(acceleration[100..<900].allSatisfy { abs($0 - 0.6) < 0.06 })
        let plot = try Tool.bridge("render", "--profile", profile, path)
        #expect(plot.status == 0 && plot.output.contains("frequency    29"), "\(plot)")
        let picture = try svg(of: path, "--profile", profile)
        #expect(picture.texts.contains("Frequency of the drive in Hz"))
    }

    /// Checks a frequency in hertz, as Android's envelopes state it.
    @Test func aFrequencyInHertzIsPlayedUnchanged() throws {
        let path = try folder.write(
            "envelope.xml",
            "<vibration-effect><waveform-envelope-effect initialFrequencyHz=\"150\">"
                + "<control-point amplitude=\"0.5\" frequencyHz=\"150\" durationMs=\"100\"/>"
                + "<control-point amplitude=\"0.5\" frequencyHz=\"150\" durationMs=\"400\"/>"
                + "<control-point amplitude=\"0\" frequencyHz=\"150\" durationMs=\"50\"/>"
                + "</waveform-envelope-effect></vibration-effect>")
        let profile = try reactor(law: "absolute")
        let object = try #require(
            try Tool.bridge("render", "--json", "--profile", profile, path).objects.first)
        let actuator = try #require((object["actuators"] as? [[String: Any]])?.first)
        let frequencies = try #require(actuator["frequency_hz"] as? [[Double]]).map { $0[1] }
        // 149.358 Hz corresponds to a period of 68 steps of the chip.
        #expect(!frequencies.isEmpty && frequencies.allSatisfy { $0 == 149.358 }, "\(frequencies)")
    }

    /// The simulation does not calculate the hour of rest between the taps.
    @Test func aLongPatternIsDrawn() throws {
        let path = try folder.write(
            "late.ahap",
            #"{"Pattern":[{"Event":{"Time":0,"EventType":"HapticTransient"}},"#
                + #"{"Event":{"Time":3600,"EventType":"HapticTransient"}}]}"#)
        let outcome = try Tool.bridge("render", "--json", "--profile", "lra", path)
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let text = outcome.output
        #expect(text.contains(#""acceleration_step_us":3000,"#))
        #expect(text.count { $0 == "," } < 1_210_000)
    }

    // MARK: Failures

    @Test func whatCannotBeRenderedSaysWhyWithItsStatus() throws {
        let path = try folder.write("tap.ahap", Samples.tap)
        func run(_ arguments: [String], _ status: Int32, _ message: String) throws {
            let outcome = try RunningTool(
                Tool.executable("bridge"), ["render"] + arguments,
                environment: ["PATH": folder.path("none")]
            ).outcome()
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }
        try run([path, "-o", folder.path("tap.jpg")], 64, "a picture is .svg or .png")
        try run([path, "-o", folder.path("tap.png")], 72, "rsvg-convert is not installed")
        try run([path, "-o", folder.path("none/tap.svg")], 73, "cannot be written")
        try run([path, "--wav", folder.path("none/tap.wav")], 73, "cannot be written")
        try run([folder.write("bad.ahap", Samples.unknownType)], 65, "unknown-event-type")
        try run([folder.path("none.ahap")], 66, "no such file")
        let long = try folder.write("long.ahap", Samples.buzz(seconds: 1_801))
        try run([long, "--wav", folder.path("long.wav")], 65, "a sound lasts up to 1800.00 s")
        #expect(!FileManager.default.fileExists(atPath: folder.path("tap.png")))
    }
}

/// The contents of an SVG file, with access by the ids and texts of the elements. The initializer
/// throws an error if the file is not well-formed.
private final class XMLPicture: NSObject, XMLParserDelegate {
    private(set) var ids: Set<String> = []
    private(set) var texts: [String] = []
    private(set) var polylines: [String: [(x: Double, y: Double)]] = [:]
    let size: Int
    private var text: String?

    struct Malformed: Error {}

    init(_ data: Data) throws {
        size = data.count
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        guard parser.parse() else { throw parser.parserError ?? Malformed() }
    }

    func points(of id: String) -> [(x: Double, y: Double)]? { polylines[id] }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        if let id = attributes["id"] { ids.insert(id) }
        if name == "text" { text = "" }
        guard name == "polyline" else { return }
        let id = attributes["id"] ?? "\(polylines.count)"
        polylines[id] = (attributes["points"] ?? "").split(separator: " ").map {
            let numbers = $0.split(separator: ",").compactMap { Double($0) }
            return (numbers[0], numbers[1])
        }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
        text?.append(characters)
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        if name == "text", let text { texts.append(text) }
        text = nil
    }
}
