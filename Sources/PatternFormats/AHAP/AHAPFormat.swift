// AHAPFormat: AHAP, written in a form that every player supports.

import AHAP
import HapticPatterns
import JSONText

/// The format AHAP.
///
/// In files that this type writes, the times of a curve's points are relative to the start of the
/// curve, a curve has at most 16 points, and a continuous event lasts at most 30 s.
public final class AHAPFormat: WritablePatternFormat {
    /// The name in options and messages.
    public let name = "ahap"
    /// A short description.
    public let summary = "Apple Haptic and Audio Pattern"
    /// The file name extension.
    public let fileExtension = "ahap"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    public let intensityLaw: IntensityLaw? = nil

    /// Creates the format.
    public init() {}

    /// Returns true for every file. If the format of a file is unknown, the AHAP reader reports the
    /// most helpful error.
    public func recognizes(_ content: FormatContent) -> Bool { true }

    /// Reads the bytes of a file.
    public func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        do {
            let result = try AHAPReader.read(bytes, options: .init(curveTimes: .automatic))
            return ReadPattern(result.pattern)
        } catch {
            throw FormatError(error)
        }
    }

    /// Encodes a pattern as the bytes of a file.
    public func write(_ pattern: HapticPattern, law: IntensityLaw) throws(FormatError) -> [UInt8] {
        try Array(AHAPWriter.text(of: AHAPDocument(of: pattern)).utf8)
    }
}

extension AHAPDocument {
    /// Creates the AHAP document of a pattern, with events, parameters and curves in order of time.
    /// Throws an error if the document would have more events than a reader accepts.
    public init(of pattern: HapticPattern) throws(FormatError) {
        guard pattern.events.reduce(0, { $0 + $1.partCount }) <= AHAPReader.Options().mostEvents
        else {
            throw FormatError(
                rule: .tooLarge,
                "the AHAP file would have more than \(AHAPReader.Options().mostEvents) events, "
                    + "because a continuous event of more than 30 s is divided",
                advice: "shorten the events")
        }
        let curves = pattern.curves.flatMap { curve in
            curve.points.isEmpty
                ? []
                : HapticPattern.curves(
                    curve.id,
                    curve.points.map { .init(time: curve.time + $0.time, value: $0.value) })
        }
        self.init(
            pattern: curves.map(Self.entry) + pattern.parameters.map(Self.entry)
                + pattern.events.flatMap { $0.parts }.map(Self.entry))
    }

    private static func number(_ time: Microseconds) -> Number { Number(Double(time) / 1e6) }

    private static func rounded(_ value: Double) -> Number {
        Number((value * 1e6).rounded() / 1e6)
    }

    private static func entry(_ curve: HapticParameterCurve) -> Entry {
        .parameterCurve(
            ParameterCurve(
                curve.id, time: number(curve.time),
                controlPoints: curve.points.map {
                    ControlPoint(time: number($0.time), rounded($0.value))
                }))
    }

    private static func entry(_ parameter: HapticDynamicParameter) -> Entry {
        .parameter(
            Parameter(parameter.id, time: number(parameter.time), rounded(parameter.value)))
    }

    private static func entry(_ event: HapticEvent) -> Entry {
        let values = EventParameterID.allCases.compactMap { id -> EventParameter? in
            guard let standard = id.defaultValue(for: event.type) else { return nil }
            let isStrength = id == .hapticIntensity || id == .hapticSharpness
            guard isStrength || event[id] != standard else { return nil }
            return EventParameter(id, rounded(event[id]))
        }
        var entry = Event(
            event.type, time: number(event.time), eventDuration: event.length.map(number),
            eventParameters: values, location: event.location)
        if event.type == .audioCustom, let audio = event.audio {
            entry.eventWaveformPath = audio.waveformPath
            entry.eventWaveformUseVolumeEnvelope = audio.usesVolumeEnvelope ? nil : false
            entry.eventWaveformLoopEnabled = audio.isLoopEnabled ? true : nil
        }
        return .event(entry)
    }
}

extension HapticEvent {
    /// The number of elements of ``parts``.
    fileprivate var partCount: Int {
        let most = HapticPattern.continuousMax
        guard type == .hapticContinuous, envelope.sustained, let length, length > most else {
            return 1
        }
        return Int((length + most - 1) / most)
    }

    /// The parts into which the event is divided, each at most 30 s long. The first part contains
    /// the attack, and the last part contains the release.
    fileprivate var parts: [HapticEvent] {
        let most = HapticPattern.continuousMax
        let count = partCount
        guard count > 1, let length else { return [self] }
        return (0..<Microseconds(count)).map { index in
            let offset = index * most
            var part = self
            part.time = time + offset
            part.length = min(most, length - offset)
            if offset > 0 { part.envelope.attackTime = 0 }
            if offset + most < length { part.envelope.releaseTime = 0 }
            return part
        }
    }
}
