// AndroidXMLReader: converts `<vibration-effect>` to a signal (AOSP, core/xsd/vibrator).

import AHAP
import HapticCompiler
import HapticPatterns
import JSONText

/// Reads `<vibration-effect>`, or one effect in `<vibration-select>`.
struct AndroidXMLReader {
    let law: IntensityLaw
    private(set) var losses: [FormatLoss] = []
    private var signals: [HapticSignal] = []
    /// The end of the effects that have been read, in microseconds.
    private var time: Microseconds = 0
    /// The start of the content of the current element. Start times are relative to this time.
    private var origin: Microseconds = 0
    /// The start of the previous primitive. The delay of the next primitive may be relative to this
    /// time.
    private var previousStart: Microseconds = 0

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> HapticSignal {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLReader.read(bytes)
        } catch {
            throw FormatError(
                at: error.location, rule: .malformedXML, error.message, advice: error.advice)
        }
        try AndroidXMLSchema.check(root)
        let effect = try effect(of: root)
        guard !effect.children.isEmpty else {
            throw FormatError(
                at: effect.location, "the effect is empty", advice: "add an effect with a duration")
        }
        try readContent(of: effect)
        return HapticSignal.merged(signals[...])
    }

    /// Returns the root element, or the first effect of a selection that every device can play.
    private mutating func effect(of root: XMLElement) throws(FormatError) -> XMLElement {
        guard root.name == "vibration-select" else { return root }
        let effects = root.children
        let index = effects.firstIndex { !$0.children.contains { $0.name == "vendor-effect" } } ?? 0
        guard index < effects.count else {
            throw FormatError(
                at: root.location, "there is no effect to select", advice: "add a vibration-effect")
        }
        if effects.count > 1 {
            losses.append(
                FormatLoss(
                    .notPlayed, at: effects[index == 0 ? 1 : 0].location,
                    "of \(effects.count) effects to select from, only effect \(index + 1) is read"))
        }
        return effects[index]
    }

    /// Reads the effects or the waveform entries that an element contains.
    private mutating func readContent(of element: XMLElement) throws(FormatError) {
        (origin, previousStart) = (time, time)
        if element.children.contains(where: { $0.name == "waveform-entry" }) {
            return try readWaveform(element.children, of: element)
        }
        for part in element.children { try read(part) }
    }

    private mutating func read(_ part: XMLElement) throws(FormatError) {
        if let start = try start(of: part) { time = start }
        switch part.name {
        case "waveform-effect": try readWaveform(entries(of: part), of: part)
        case "repeating-effect": try readRepeating(part)
        case "predefined-effect": try readPredefined(part)
        case "primitive-effect": try readPrimitive(part)
        case "basic-envelope-effect": try readBasicEnvelope(part)
        case "waveform-envelope-effect": try readEnvelope(part)
        default:
            losses.append(
                FormatLoss(
                    .notPlayed, time: time, at: part.location,
                    "a \(part.name) contains data for the devices of one manufacturer"))
        }
    }

    private mutating func add(_ signal: HapticSignal, until end: Microseconds) {
        signals.append(signal)
        time = end
    }

    /// Returns the time at which an element starts if the element specifies the time; nil if the
    /// element starts when the previous element ends.
    private func start(of element: XMLElement) throws(FormatError) -> Microseconds? {
        guard element.attributes["startTimeMs"] != nil else { return nil }
        let start = origin + (try milliseconds("startTimeMs", of: element, from: 0))
        try checkEnd(start, element)
        return start
    }

    // MARK: Repetitions

    private mutating func readRepeating(_ part: XMLElement) throws(FormatError) {
        guard [["repeating"], ["preamble", "repeating"]].contains(part.children.map({ $0.name }))
        else {
            throw FormatError(
                at: part.location,
                "\(part.name) may contain only an optional preamble and one repeating",
                advice: "write the preamble, if any, and then the repeating element")
        }
        for child in part.children {
            if child.name == "repeating" { recordRepetition(child, of: "effect") }
            try checkIsNotEmpty(child)
            try readContent(of: child)
        }
    }

    private mutating func recordRepetition(_ repeating: XMLElement, of what: String) {
        losses.append(
            FormatLoss(
                .degraded, at: repeating.location,
                "the \(what) repeats indefinitely, but it is played only once"))
    }

    private func checkIsNotEmpty(_ element: XMLElement) throws(FormatError) {
        guard element.children.isEmpty else { return }
        throw FormatError(
            at: element.location, "\(element.name) is empty",
            advice: "add the parts of \(element.name), or remove the element")
    }

    // MARK: Waveform

    /// Returns the entries of a waveform, including the entries that repeat.
    private mutating func entries(of part: XMLElement) throws(FormatError) -> [XMLElement] {
        guard let last = part.children.last, last.name == "repeating" else { return part.children }
        recordRepetition(last, of: "waveform")
        try checkIsNotEmpty(last)
        return part.children.dropLast() + last.children
    }

    private mutating func readWaveform(
        _ entries: [XMLElement], of part: XMLElement
    ) throws(FormatError) {
        var length: Microseconds = 0
        for entry in entries {
            guard entry.name == "waveform-entry" else {
                throw FormatError(
                    at: entry.location, "\(entry.name) is not allowed between waveform entries",
                    advice: entry.name == "repeating"
                        ? "write the repeating element after all waveform entries"
                        : "remove the element")
            }
            let start = try start(of: entry) ?? time
            let duration = try milliseconds("durationMs", of: entry, from: 0)
            try checkEnd(start + duration, entry)
            let isDefault = entry.attributes["amplitude"]?.value == "default"
            let amplitude =
                isDefault
                ? AndroidWaveform.amplitudeMax
                : try number("amplitude", of: entry, in: 0...AndroidWaveform.amplitudeMax)
            let step = AndroidWaveform(steps: [(duration, amplitude)])
            add(step.signal(from: start, law: law), until: start + duration)
            length += duration
        }
        guard length > 0 else {
            throw FormatError(
                at: part.location, "the waveform lasts 0 ms",
                advice: "give at least one waveform entry a duration above 0")
        }
    }

    // MARK: Named effects

    private mutating func readPredefined(_ part: XMLElement) throws(FormatError) {
        if part.attributes["fallback"] != nil {
            // The value of the attribute is checked but not used, because the effect is converted
            // in either case.
            _ = try word("fallback", of: part, among: ["true", "false", "1", "0"])
        }
        let name = try text("name", of: part).lowercased()
        if AndroidEffect.ringtones.contains(name) {
            losses.append(
                FormatLoss(
                    .notPlayed, time: time, at: part.location,
                    "a ringtone is not played, because it is stored in the "
                        + "device, not in the file"))
            return
        }
        let effects = try named(name, of: part, in: AndroidEffect.predefined, "predefined effect")
        recordLoss(
            of: part, "a predefined effect feels different on each device; it is approximated")
        for effect in effects {
            add(effect.signal(from: time, scale: 1), until: time + effect.length)
        }
    }

    private mutating func readPrimitive(_ part: XMLElement) throws(FormatError) {
        let delay =
            part.attributes["delayMs"] == nil
            ? 0 : try milliseconds("delayMs", of: part, from: 0)
        let scale =
            part.attributes["scale"] == nil ? 1 : try number("scale", of: part, in: 0...1)
        let offset = "relative_start_offset"
        let delayType =
            part.attributes["delayType"] == nil
            ? "pause" : try word("delayType", of: part, among: ["pause", offset])
        let start = (delayType == offset ? previousStart : time) + delay
        try checkEnd(start, part)
        let name = try text("name", of: part).lowercased()
        let effect = try named(name, of: part, in: AndroidEffect.primitives, "primitive")
        previousStart = start
        guard start >= time else {
            losses.append(
                FormatLoss(
                    .notPlayed, time: start, at: part.location,
                    "the primitive starts before the previous one ends; Android does not play it"))
            return
        }
        recordLoss(of: part, "a primitive feels different on each device; it is approximated")
        add(effect.signal(from: start, scale: scale), until: start + effect.length)
    }

    private func named<Effect>(
        _ name: String, of part: XMLElement, in effects: [String: Effect], _ kind: String
    ) throws(FormatError) -> Effect {
        guard let effect = effects[name] else {
            throw FormatError(
                at: part.attributes["name"]?.location,
                "the \(kind) \(name.excerpt) is unknown",
                advice: "use one of these: " + effects.keys.sorted().joined(separator: ", "))
        }
        return effect
    }

    private mutating func recordLoss(of part: XMLElement, _ message: String) {
        guard !losses.contains(where: { $0.message == message }) else { return }
        losses.append(FormatLoss(.degraded, time: time, at: part.location, message))
    }

    // MARK: Envelopes

    private mutating func readBasicEnvelope(_ part: XMLElement) throws(FormatError) {
        let points = part.children
        try checkIsNotEmpty(part)
        var levels = [Breakpoint(time: time, value: 0)]
        var tones: [Breakpoint] = []
        if part.attributes["initialSharpness"] != nil {
            tones = [
                Breakpoint(time: time, value: try number("initialSharpness", of: part, in: 0...1))
            ]
        }
        var end = time
        for point in points {
            end += try milliseconds("durationMs", of: point, from: 1)
            try checkEnd(end, point)
            let (level, tone) = try (
                number("intensity", of: point, in: 0...1), number("sharpness", of: point, in: 0...1)
            )
            levels.append(Breakpoint(time: end, value: level))
            tones.append(Breakpoint(time: end, value: tone))
        }
        guard levels.last?.value == 0 else {
            throw FormatError(
                at: points.last?.location, "the envelope does not end at intensity 0",
                advice: "add a last control point of intensity 0")
        }
        add(HapticSignal(intensity: levels, sharpness: tones), until: end)
    }

    private mutating func readEnvelope(_ part: XMLElement) throws(FormatError) {
        let points = part.children
        try checkIsNotEmpty(part)
        var levels = [Breakpoint(time: time, value: 0)]
        var tones: [Breakpoint] = []
        if part.attributes["initialFrequencyHz"] != nil {
            tones = [try tone("initialFrequencyHz", of: part, at: time)]
        }
        var end = time
        for point in points {
            end += try milliseconds("durationMs", of: point, from: 1)
            try checkEnd(end, point)
            let amplitude = try number("amplitude", of: point, in: 0...1)
            levels.append(Breakpoint(time: end, value: law.intensity(ofAmplitude: amplitude)))
            tones.append(try tone("frequencyHz", of: point, at: end))
        }
        add(HapticSignal(intensity: levels, sharpness: tones), until: end)
    }

    private mutating func tone(
        _ name: String, of element: XMLElement, at time: Microseconds
    ) throws(FormatError) -> Breakpoint {
        let frequency = try number(name, of: element, in: 1...100_000)
        if !SharpnessFrequency.range.contains(frequency) {
            losses.append(
                FormatLoss(
                    .degraded, time: time, at: element.attributes[name]?.location,
                    "\(frequency) Hz is outside 65 to 300 Hz, the range of sharpness"))
        }
        return Breakpoint(time: time, value: SharpnessFrequency.sharpness(ofHertz: frequency))
    }

    // MARK: Attributes

    private func text(_ name: String, of element: XMLElement) throws(FormatError) -> String {
        guard let attribute = element.attributes[name] else {
            throw FormatError(
                at: element.location, "\(element.name.excerpt) needs the attribute \(name)",
                advice: "add the attribute")
        }
        return attribute.value
    }

    /// Returns the value of an attribute in lower case. The value must be one of the given words.
    private func word(
        _ name: String, of element: XMLElement, among words: [String]
    ) throws(FormatError) -> String {
        let text = try text(name, of: element)
        guard words.contains(text.lowercased()) else {
            throw FormatError(
                at: element.attributes[name]?.location,
                "\(name) is \"\(text.excerpt)\", which is unknown",
                advice: "use one of these: " + words.joined(separator: ", "))
        }
        return text.lowercased()
    }

    private func number(
        _ name: String, of element: XMLElement, in range: ClosedRange<Double>
    ) throws(FormatError) -> Double {
        let text = try text(name, of: element)
        guard let number = Double(text), range.contains(number) else {
            throw FormatError(
                at: element.attributes[name]?.location,
                "\(name) is \"\(text.excerpt)\"; it must be in the range \(range.lowerBound) to "
                    + "\(range.upperBound)", advice: "write a number in that range")
        }
        return number
    }

    private func milliseconds(
        _ name: String, of element: XMLElement, from least: Double
    ) throws(FormatError) -> Microseconds {
        Microseconds(try number(name, of: element, in: least...86_400_000).rounded()) * 1_000
    }

    private func checkEnd(_ end: Microseconds, _ element: XMLElement) throws(FormatError) {
        guard end <= FormatLimits.latest else {
            throw FormatError(
                at: element.location, "the effect is longer than a day",
                advice: "shorten the effect")
        }
    }
}
