// LofeltHapticReader: converts the text of a .haptic file to a pattern.

import HapticPatterns
import JSONText

/// Reads `.haptic` files.
struct LofeltHapticReader {
    let law: IntensityLaw
    private var losses: [FormatLoss] = []

    init(law: IntensityLaw) { self.law = law }

    mutating func read(_ bytes: [UInt8]) throws(FormatError) -> ReadPattern {
        try read(JSONValue.read(bytes))
    }

    mutating func read(_ root: JSONFields) throws(FormatError) -> ReadPattern {
        try checkVersion(root)
        let envelopes = try root.fields("signals").fields("continuous").fields("envelopes")
        let amplitude = try amplitude(envelopes)
        let frequency = try frequency(envelopes, until: amplitude.points.last?.time ?? 0)
        let signal = HapticSignal(
            intensity: amplitude.points, sharpness: frequency, taps: amplitude.taps)
        return ReadPattern(HapticPattern(signal), losses: losses)
    }

    private func checkVersion(_ root: JSONFields) throws(FormatError) {
        let version = try root.fields("version")
        let major = try version.number("major", in: 0...1e9)
        guard major == 1 else {
            throw FormatError(
                at: version.value("major")?.location,
                "version \(Self.text(major)) is not supported; the only supported version is 1",
                advice: "export the file as version 1")
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    // MARK: Amplitude

    private func amplitude(
        _ envelopes: JSONFields
    ) throws(FormatError) -> (points: [Breakpoint], taps: [HapticSignal.Tap]) {
        let values = try envelopes.array("amplitude")
        guard values.count >= 2 else {
            throw FormatError(
                at: envelopes.value("amplitude")?.location,
                "the amplitude must have at least two breakpoints, but has \(values.count)",
                advice: "add the missing breakpoints")
        }
        var points: [Breakpoint] = []
        var taps: [HapticSignal.Tap] = []
        for value in values {
            let fields = try JSONFields(value)
            let time = try time(of: fields, after: points.last)
            let amplitude = try fields.number("amplitude", in: 0...1)
            points.append(Breakpoint(time: time, value: law.intensity(ofAmplitude: amplitude)))
            if let emphasis = try fields.optionalFields("emphasis") {
                taps.append(try tap(emphasis, at: time, over: amplitude))
            }
        }
        guard let last = points.last, last.time > 0 else {
            throw FormatError(
                at: values.last?.location, "the file lasts 0 s",
                advice: "give the last breakpoint a time after 0")
        }
        return (points, taps)
    }

    private func tap(
        _ emphasis: JSONFields, at time: Microseconds, over envelope: Double
    ) throws(FormatError) -> HapticSignal.Tap {
        let amplitude = try emphasis.number("amplitude", in: 0...1)
        guard amplitude >= envelope else {
            throw FormatError(
                at: emphasis.value("amplitude")?.location,
                "the emphasis, \(amplitude), is below its breakpoint's amplitude, \(envelope)",
                advice: "raise the emphasis, or lower the amplitude")
        }
        return HapticSignal.Tap(
            time: time, intensity: law.intensity(ofAmplitude: amplitude),
            sharpness: try emphasis.number("frequency", in: 0...1), location: emphasis.location)
    }

    // MARK: Frequency

    private mutating func frequency(
        _ envelopes: JSONFields, until end: Microseconds
    ) throws(FormatError) -> [Breakpoint] {
        var points: [Breakpoint] = []
        for value in try envelopes.optionalArray("frequency") {
            let fields = try JSONFields(value)
            let time = try time(of: fields, after: points.last)
            // Meta's strict validation rejects a breakpoint after the end. However, Lofelt Studio
            // rounded up the times of frequency breakpoints, and players accept the resulting
            // files. If a breakpoint is exactly at the end, rounding cannot explain another
            // breakpoint after it, so the file is rejected.
            if time > end, points.last?.time == end {
                throw FormatError(
                    at: fields.value("time")?.location,
                    "the frequency continues after the last breakpoint of the amplitude",
                    advice: "remove the breakpoint, or extend the amplitude to its time")
            }
            if time > end, points.last.map({ $0.time < end }) ?? true {
                losses.append(
                    FormatLoss(
                        .notPlayed, time: time, at: fields.value("time")?.location,
                        "the frequency continues after the last breakpoint of the amplitude"))
            }
            let frequency = try fields.number("frequency", in: 0...1)
            // Meta's exporter converts frequencies to sharpnesses with the same formula as
            // amplitudes to intensities.
            points.append(Breakpoint(time: time, value: law.intensity(ofAmplitude: frequency)))
        }
        return points
    }

    private func time(
        of fields: JSONFields, after last: Breakpoint?
    ) throws(FormatError) -> Microseconds {
        let time = try fields.time("time")
        guard time >= last?.time ?? 0 else {
            throw FormatError(
                at: fields.value("time")?.location,
                "a breakpoint is earlier than the previous breakpoint",
                advice: "write breakpoints in order of time")
        }
        return time
    }
}
