// Tests of HJIF files: effects that refer to a library, effects that contain other effects, and the
// times of keyframes.

import HapticPatterns
import PatternFormats
import Testing

/// Returns the text of an HJIF file with one band. The library is in line 2; the band begins in
/// line 3.
private func hjif(
    _ effects: String, library: String = "", band: String = "VectorialWave"
) -> String {
    """
    {"perceptions": [{"perception_modality": "Vibrotactile", "effect_library":
    [\(library)],
    "channels": [{"bands": [{"band_type": "\(band)", "effects":
    [\(effects)]}]}]}]}
    """
}

/// Returns an effect with two keyframes that are 100 ms apart.
private func basis(_ level: Double, at position: Int = 0, id: Int? = nil) -> String {
    let identifier = id.map { "\"id\": \($0), " } ?? ""
    return "{\(identifier)\"effect_type\": \"Basis\", \"position\": \(position), \"keyframes\": ["
        + "{\"relative_position\": 0, \"amplitude_modulation\": \(level)}, "
        + "{\"relative_position\": 100, \"amplitude_modulation\": \(level)}]}"
}

/// Returns a reference to an effect in the library. The reference may itself be an effect in the
/// library.
private func reference(_ target: Int, at position: Int) -> String {
    "{\"effect_type\": \"Reference\", \"id\": \(target), \"position\": \(position)}"
}

/// Returns an effect that consists of other effects.
private func timeline(_ parts: [String], at position: Int = 0, id: Int = 0) -> String {
    "{\"effect_type\": \"Timeline\", \"id\": \(id), \"position\": \(position), "
        + "\"timeline\": [\(parts.joined(separator: ", "))]}"
}

@Suite struct HJIFTests {
    @Test func theReferenceDeterminesThePosition() throws {
        let text = hjif(reference(7, at: 300), library: basis(0.5, at: 5_000, id: 7))
        #expect(try levels(readText(text)) == [[300, 0.5], [400, 0.5]])
    }

    @Test func aReferenceInATransientBandIsTaps() throws {
        let text = hjif(
            reference(7, at: 300) + "," + reference(7, at: 600), library: basis(0.5, id: 7),
            band: "Transient")
        #expect(try taps(readText(text)) == [300, 400, 600, 700])
    }

    @Test func anUnknownReferenceIsALoss() throws {
        let text = hjif(reference(9, at: 0) + "," + basis(0.5, at: 200))
        let read = try readText(text)
        #expect(levels(read) == [[200, 0.5], [300, 0.5]])
        #expect(losses(read) == ["4:2: not played: the library has no effect 9"])
        #expect(
            refusal(of: hjif(reference(9, at: 0)))
                == "4:2: error: the file contains no perceptible tap or level: "
                + "the library has no effect 9")
    }

    @Test func anErrorWithoutPerceptiblePartsContainsTheLosses() {
        let text = hjif((1...5).map { reference($0, at: 0) }.joined(separator: ",\n"))
        #expect(
            refusal(of: text)
                == "4:2: error: the file contains no perceptible tap or level: the library has "
                + "no effect 1; 5:1: the library has no effect 2; 6:1: the library has no effect "
                + "3; and 2 more")
    }

    @Test func eachPerceptionHasItsOwnLibrary() throws {
        let text = """
            {"perceptions": [
            {"effect_library": [\(basis(0.5, id: 1))], "channels": []},
            {"channels": [{"bands": [{"band_type": "VectorialWave", "effects": [
            \(reference(1, at: 0))]}]}]}]}
            """
        #expect(refusal(of: text).contains("4:1: error:"))
    }

    @Test func theFirstOfTwoEffectsWithOneIdentifierIsUsed() throws {
        let text = hjif(
            reference(1, at: 0), library: basis(0.25, id: 1) + ",\n" + basis(0.75, id: 1))
        let read = try readText(text)
        #expect(levels(read) == [[0, 0.25], [100, 0.25]])
        #expect(
            losses(read) == [
                "3:1: degraded: the library has more than one effect 1; the first one is used"
            ])
    }

    // MARK: Nesting

    @Test func aReferenceMayReferToAReference() throws {
        let nested =
            "{\"id\": 1, \"effect_type\": \"Timeline\", \"position\": 9, \"timeline\": ["
            + reference(2, at: 50) + "]}"
        let text = hjif(reference(1, at: 100), library: nested + "," + basis(0.5, at: 7, id: 2))
        #expect(try levels(readText(text)) == [[150, 0.5], [250, 0.5]])
    }

    @Test func theLibraryMayContainReferencesAndTimelines() throws {
        let library = [
            timeline([basis(0.5), basis(0.25, at: 150)], at: 3_000, id: 1),
            basis(0.75, id: 3),
        ]
        let text = hjif(
            [reference(1, at: 1_000), reference(3, at: 0), reference(1, at: 2_000)]
                .joined(separator: ","), library: library.joined(separator: ","))
        #expect(
            try levels(readText(text)) == [
                [0, 0.75], [100, 0.75], [100, 0], [1000, 0], [1000, 0.5], [1100, 0.5], [1100, 0],
                [1150, 0], [1150, 0.25], [1250, 0.25], [1250, 0], [2000, 0], [2000, 0.5],
                [2100, 0.5], [2100, 0], [2150, 0], [2150, 0.25], [2250, 0.25],
            ])
    }

    @Test(arguments: ["Timeline", "Composite"])
    func thePositionsOfATimelineAreRelative(type: String) throws {
        let inner = timeline([basis(0.5, at: 30)], at: 20)
        let text = hjif(timeline([inner, basis(0.25, at: 400)], at: 1_000))
            .replacing("Timeline", with: type)
        #expect(
            try levels(readText(text)) == [
                [1050, 0.5], [1150, 0.5], [1150, 0], [1400, 0], [1400, 0.25], [1500, 0.25],
            ])
    }

    @Test func anEffectThatRefersToItselfIsALoss() throws {
        let text = hjif(
            reference(1, at: 0) + "," + reference(1, at: 500),
            library: timeline([basis(0.5), reference(1, at: 200)], id: 1))
        let read = try readText(text)
        #expect(
            levels(read) == [
                [0, 0.5], [100, 0.5], [100, 0], [500, 0], [500, 0.5], [600, 0.5],
            ])
        #expect(read.losses.map(\.message) == ["effect 1 of the library refers to itself"])
        #expect(read.losses[0].location?.sourceLocation?.line == 2)
        let cycle =
            timeline([reference(2, at: 0)], id: 1) + "," + timeline([reference(1, at: 0)], id: 2)
        #expect(
            refusal(of: hjif(reference(1, at: 0), library: cycle))
                .contains("effect 1 of the library refers to itself"))
        #expect(
            refusal(of: hjif(reference(1, at: 0), library: reference(1, at: 0)))
                .contains("2:2: error: the file contains no perceptible tap or level: effect 1"))
    }

    @Test func limitsTheDepthAndTheNumberOfEffects() {
        let chain = (0..<40).map { timeline([reference($0 + 1, at: 0)], id: $0) }
        #expect(
            refusal(of: hjif(reference(0, at: 0), library: chain.joined(separator: ",")))
                .contains("the effect is nested deeper than 32 levels"))
        let bomb = (0..<8).map { level in
            timeline((0..<10).map { reference(level + 1, at: $0) }, id: level)
        }
        #expect(
            refusal(of: hjif(reference(0, at: 0), library: bomb.joined(separator: ",")))
                .contains("the file has more than 100000 effects"))
        let keyframes = [String](repeating: "{}", count: 60_000).joined(separator: ",")
        let long = "{\"id\": 1, \"keyframes\": [\(keyframes)]}"
        #expect(
            refusal(of: hjif(reference(1, at: 0) + "," + reference(1, at: 1), library: long))
                .contains("the file has more than 100000 keyframes"))
    }

    @Test func recordsTheLossesOfARepeatedEffectOnce() throws {
        let effect = """
            {"id": 1, "keyframes": [{"amplitude_modulation": 2, "frequency_modulation": 500},
            {"relative_position": 50, "amplitude_modulation": 1}]}
            """
        let text = hjif(reference(1, at: 0) + "," + reference(1, at: 500), library: effect)
        #expect(
            try losses(readText(text)) == [
                "2:51: degraded: an amplitude of 2.0 is limited to 1",
                "2:78: degraded: 500.0 Hz is outside 65 to 300 Hz, the range of sharpness",
            ])
    }

    @Test(arguments: [
        (hjif(reference(1, at: -5)), "4:52: error: \"position\" is -5; it must be in the range 0"),
        (
            hjif("{\"effect_type\": \"Reference\", \"position\": 0}"),
            "4:2: error: \"id\" is missing"
        ),
        (hjif("", library: "{\"keyframes\": []}"), "2:2: error: \"id\" is missing here"),
        (hjif("{\"position\": 0}"), "4:2: error: \"keyframes\" is missing here"),
        (hjif("", library: "1"), "2:2: error: expected an object, found a number"),
        (
            hjif("{\"effect_type\": \"Composite\", \"position\": 0}"),
            "4:2: error: the file contains no perceptible tap or level: the composite effect has "
                + "no \"timeline\""
        ),
        (
            hjif("{\"effect_type\": \"Texture\", \"position\": 0}"),
            "the effect type Texture is unknown; the effect is not played"
        ),
    ]) func refusesWithTheReason(text: String, message: String) {
        #expect(refusal(of: text).contains(message), "\(refusal(of: text))")
    }

    // MARK: Keyframes

    /// Checks keyframes from the decoder of the reference software, which wrote 65,534 instead of
    /// -2.
    @Test func sortsKeyframes() throws {
        let text = hjif(
            """
            {"position": 0, "keyframes": [{"relative_position": 65534, "amplitude_modulation": 0.5},
            {"relative_position": 0, "amplitude_modulation": 0.25},
            {"relative_position": 26, "amplitude_modulation": 0.5},
            {"relative_position": 13, "amplitude_modulation": 0.125}]}
            """)
        let read = try readText(text)
        #expect(levels(read) == [[0, 0.25], [13, 0.125]])
        #expect(losses(read).count == 1)
        #expect(losses(read)[0].hasPrefix("5:1: degraded: this keyframe is earlier than"))
    }

    @Test func aWaveLastsFromItsPositionToItsLastKeyframe() throws {
        let frequency = "\"frequency_modulation\": 150"
        let held = hjif(
            "{\"position\": 100, \"keyframes\": [{\"relative_position\": 0, \(frequency)}, "
                + "{\"relative_position\": 50, \"amplitude_modulation\": 0.5}, "
                + "{\"relative_position\": 90, \(frequency)}]}")
        #expect(try levels(readText(held)) == [[100, 0.5], [190, 0.5]])
        let plain = hjif(
            "{\"position\": 100, \"keyframes\": [{\"relative_position\": 0, \(frequency)}, "
                + "{\"relative_position\": 90, \(frequency)}]}")
        #expect(try levels(readText(plain)) == [[100, 1], [190, 1]])
        // The keyframes of a curve are points of the curve; the curve is interpolated between them.
        let curve = held.replacing("VectorialWave", with: "Curve")
        #expect(refusal(of: curve).contains("no perceptible"))
    }

    // MARK: Writing

    /// From the position of the effect on, the reference software holds the first level.
    @Test func writesTheStartOfTheLevelAsThePosition() throws {
        let pattern = HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 250_000, duration: 500_000, intensity: 0.5)
        ])
        let bytes = try Conversion(ReadPattern(pattern), to: LofeltCase.hjif.format).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"position\": 250"))
        #expect(try levels(readText(text)) == [[250, 0.5], [750, 0.5]])
        let reference = reference(4, at: 2_000)
        let extended =
            text
            .replacing("\"effect_library\": []", with: "\"effect_library\": [\(basis(1, id: 4))]")
            .replacing("\"effects\": [", with: "\"effects\": [\(reference), ")
        #expect(
            try levels(readText(extended)) == [
                [250, 0.5], [750, 0.5], [750, 0], [2000, 0], [2000, 1], [2100, 1],
            ])
    }
}
