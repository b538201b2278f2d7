// VibratorEventReader: reads the events of RichTap's and HarmonyOS's formats.

import HapticPatterns
import JSONText

/// Reads events, whose times are in milliseconds, and whose intensities and frequencies are
/// 0...100. A curve contains factors for the intensity of its event and offsets for the event's
/// frequency.
struct VibratorEventReader {
    /// The types of events.
    static let types = ["transient", "continuous"]

    /// The key of the time of an event.
    private let timeKey: String
    private var parts: [HapticSignal] = []
    private var losses: [FormatLoss] = []
    private var count = 0
    private var hasSides = false

    private static let millisecond = 1_000.0
    private static let full = 100.0

    /// Creates a reader.
    ///
    /// - Parameter key: the key of the time of an event.
    init(time key: String) { timeKey = key }

    /// The pattern of all events that have been read.
    var pattern: ReadPattern {
        let sorted = parts.sorted { ($0.pieces.first?.start ?? 0) < ($1.pieces.first?.start ?? 0) }
        return ReadPattern(HapticPattern(HapticSignal.merged(sorted[...])), losses: losses)
    }

    /// Reads a list of events.
    ///
    /// - Parameter start: the time in the pattern to which the times of the events are relative.
    mutating func read(
        _ list: [JSONValue], from start: Microseconds = 0
    ) throws(FormatError) {
        for value in list {
            let event = try JSONFields(value).fields("Event")
            try countEntry(event)
            try checkMotor(event)
            let time = start + (try event.time(timeKey, unit: Self.millisecond))
            parts.append(try signal(of: event, at: min(time, FormatLimits.latest)))
        }
    }

    /// Reports a loss if an object selects the left or the right motor, because the pattern does
    /// not contain this choice.
    mutating func checkMotor(_ fields: JSONFields) throws(FormatError) {
        guard !hasSides, try fields.number("Index", in: 0...1e9, default: 0) != 0 else { return }
        hasSides = true
        losses.append(
            FormatLoss(
                .degraded, at: fields.location,
                "events for the left and the right motor are merged"))
    }

    private mutating func signal(
        of event: JSONFields, at start: Microseconds
    ) throws(FormatError) -> HapticSignal {
        let parameters = try event.fields("Parameters")
        let intensity = try parameters.number("Intensity", in: 0...Self.full) / Self.full
        let frequency = try parameters.number("Frequency", in: 0...Self.full)
        switch try event.string("Type") {
        case "transient":
            return HapticSignal(taps: [
                HapticSignal.Tap(
                    time: start, intensity: intensity, sharpness: frequency / Self.full,
                    location: event.location)
            ])
        case "continuous":
            let length = try event.time("Duration", unit: Self.millisecond)
            return try level(
                parameters, from: start, to: start + length, intensity, frequency: frequency)
        case let type:
            throw FormatError(
                at: event.value("Type")?.location ?? event.location,
                "the event type \"\((type ?? "").excerpt)\" is unknown",
                advice: "use \(Self.types.joined(separator: " or "))")
        }
    }

    /// Returns the level of a continuous event. Before its curve, the level has the first value of
    /// the curve; after it, the last value.
    private mutating func level(
        _ parameters: JSONFields, from start: Microseconds, to end: Microseconds,
        _ intensity: Double, frequency: Double
    ) throws(FormatError) -> HapticSignal {
        var levels: [Breakpoint] = []
        var tones: [Breakpoint] = []
        for value in try parameters.optionalArray("Curve") {
            let point = try JSONFields(value)
            try countEntry(point)
            let time = min(start + (try point.time("Time", unit: Self.millisecond)), end)
            guard time >= levels.last?.time ?? start else {
                throw FormatError(
                    at: point.location, "a point is earlier than the previous point",
                    advice: "write points in order of time")
            }
            let level = try intensity * point.number("Intensity", in: 0...1)
            let tone = try frequency + point.number("Frequency", in: -100...100, default: 0)
            levels.append(Breakpoint(time: time, value: level))
            tones.append(Breakpoint(time: time, value: min(max(tone / Self.full, 0), 1)))
        }
        let first = Breakpoint(time: start, value: levels.first?.value ?? intensity)
        let last = Breakpoint(time: end, value: levels.last?.value ?? intensity)
        return HapticSignal(
            intensity: [first] + levels + [last], sharpness: tones,
            default: frequency / Self.full)
    }

    private mutating func countEntry(_ fields: JSONFields) throws(FormatError) {
        count += 1
        guard count <= FormatLimits.points else {
            throw FormatError(
                at: fields.location,
                "the file has more than \(FormatLimits.points) events and points",
                advice: "split the file into several")
        }
    }
}
