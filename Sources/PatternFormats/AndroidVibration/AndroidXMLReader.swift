// AndroidXMLReader: converts `<vibration-effect>` to a signal (AOSP, core/xsd/vibrator).

import HapticPatterns
import JSONText

/// Reads `<vibration-effect>`, and the first effect of `<vibration-select>`.
struct AndroidXMLReader {
    let law: IntensityLaw
    private(set) var losses: [FormatLoss] = []
    private var signals: [HapticSignal] = []
    /// The time at which the effects that have been read so far end, in microseconds.
    private var time: Microseconds = 0

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> HapticSignal {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLReader.read(bytes)
        } catch {
            throw FormatError(at: error.location, error.message, advice: error.advice)
        }
        let effect = try effect(of: root)
        for part in effect.children { try read(part) }
        let signal = HapticSignal.merged(signals[...])
        guard !signals.isEmpty, signal.end > 0 || !signal.taps.isEmpty || time > 0 else {
            throw FormatError(
                at: effect.location, "the effect is empty", advice: "add an effect with a duration")
        }
        return signal
    }

    private mutating func effect(of root: XMLElement) throws(FormatError) -> XMLElement {
        if root.name == "vibration-select", let first = root.children.first {
            if root.children.count > 1 {
                losses.append(
                    FormatLoss(
                        .notPlayed, location: root.children[1].location,
                        "only the first of \(root.children.count) effects to select from is read"))
            }
            return try effect(of: first)
        }
        guard root.name == "vibration-effect" else { throw unexpected(root, in: "the file") }
        return root
    }

    private mutating func read(_ part: XMLElement) throws(FormatError) {
        switch part.name {
        case "waveform-effect": try readWaveform(part)
        case "predefined-effect": try readPredefined(part)
        case "primitive-effect": try readPrimitive(part)
        case "basic-envelope-effect": try readBasicEnvelope(part)
        case "waveform-envelope-effect": try readEnvelope(part)
        case "repeating":
            losses.append(
                FormatLoss(
                    .degraded, location: part.location,
                    "the effect repeats indefinitely; it is played once"))
            for child in part.children { try read(child) }
        default: throw unexpected(part, in: "vibration-effect")
        }
    }

    private mutating func add(_ signal: HapticSignal, until end: Microseconds) {
        signals.append(signal)
        time = end
    }

    // MARK: Waveform

    private mutating func readWaveform(_ part: XMLElement) throws(FormatError) {
        var entries: [XMLElement] = []
        for child in part.children {
            if child.name == "repeating" {
                losses.append(
                    FormatLoss(
                        .degraded, location: child.location,
                        "the waveform repeats indefinitely; it is played once"))
                entries += child.children
            } else {
                entries.append(child)
            }
        }
        var steps: [(duration: Microseconds, amplitude: Double)] = []
        for entry in entries {
            guard entry.name == "waveform-entry" else { throw unexpected(entry, in: part.name) }
            let isDefault = entry.attributes["amplitude"]?.value == "default"
            let amplitude =
                isDefault
                ? AndroidWaveform.amplitudeMax
                : try number("amplitude", of: entry, in: 0...AndroidWaveform.amplitudeMax)
            steps.append((try milliseconds("durationMs", of: entry, from: 0), amplitude))
        }
        let length = steps.reduce(0) { $0 + $1.duration }
        try checkEnd(time + length, part)
        guard length > 0 else {
            throw FormatError(
                at: part.location, "the waveform lasts 0 ms", advice: "give it a duration")
        }
        add(AndroidWaveform(steps: steps).signal(from: time, law: law), until: time + length)
    }

    // MARK: Named effects

    private mutating func readPredefined(_ part: XMLElement) throws(FormatError) {
        let name = try text("name", of: part)
        guard let effects = AndroidEffect.predefined[name] else {
            throw FormatError(
                at: part.attributes["name"]?.location,
                "the predefined effect \(name.excerpt) is not known",
                advice: Self.known(AndroidEffect.predefined.keys))
        }
        recordLoss(
            of: part, "a predefined effect feels different on each device; it is approximated")
        for effect in effects {
            add(effect.signal(from: time, scale: 1), until: time + effect.length)
        }
    }

    private mutating func readPrimitive(_ part: XMLElement) throws(FormatError) {
        let name = try text("name", of: part)
        let delay =
            part.attributes["delayMs"] == nil
            ? 0 : try milliseconds("delayMs", of: part, from: 0)
        let scale =
            part.attributes["scale"] == nil ? 1 : try number("scale", of: part, in: 0...1)
        let start = time + delay
        try checkEnd(start, part)
        if name == "noop" { return add(HapticSignal(), until: start) }
        guard let effect = AndroidEffect.primitives[name] else {
            throw FormatError(
                at: part.attributes["name"]?.location,
                "the primitive \(name.excerpt) is not known",
                advice: Self.known(AndroidEffect.primitives.keys))
        }
        recordLoss(of: part, "a primitive feels different on each device; it is approximated")
        add(effect.signal(from: start, scale: scale), until: start + effect.length)
    }

    private static func known(_ names: some Sequence<String>) -> String {
        "use one of these: " + names.sorted().joined(separator: ", ")
    }

    private mutating func recordLoss(of part: XMLElement, _ message: String) {
        guard !losses.contains(where: { $0.message == message }) else { return }
        losses.append(FormatLoss(.degraded, time: time, location: part.location, message))
    }

    // MARK: Envelopes

    private mutating func readBasicEnvelope(_ part: XMLElement) throws(FormatError) {
        let points = try controlPoints(of: part)
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
        let points = try controlPoints(of: part)
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
                    .degraded, time: time, location: element.attributes[name]?.location,
                    "\(frequency) Hz is outside 65 to 300 Hz, the range of sharpness"))
        }
        return Breakpoint(time: time, value: SharpnessFrequency.sharpness(ofHertz: frequency))
    }

    private func controlPoints(of part: XMLElement) throws(FormatError) -> [XMLElement] {
        if let other = part.children.first(where: { $0.name != "control-point" }) {
            throw unexpected(other, in: part.name)
        }
        guard !part.children.isEmpty else {
            throw FormatError(
                at: part.location, "the envelope has no control points", advice: "add one")
        }
        return part.children
    }

    // MARK: Attributes

    private func text(_ name: String, of element: XMLElement) throws(FormatError) -> String {
        guard let attribute = element.attributes[name] else {
            throw FormatError(
                at: element.location, "\(element.name.excerpt) needs the attribute \(name)",
                advice: "add it")
        }
        return attribute.value
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
                at: element.location, "the effect is longer than a day", advice: "shorten it")
        }
    }

    private func unexpected(_ element: XMLElement, in parent: String) -> FormatError {
        FormatError(
            at: element.location, "the element \(element.name.excerpt) is not allowed in \(parent)",
            advice: "remove it")
    }
}
