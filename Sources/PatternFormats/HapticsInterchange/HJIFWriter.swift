// HJIFWriter: converts a signal to an HJIF file.

import HapticCompiler
import HapticPatterns
import JSONText

/// Writes HJIF files with one perception that has one channel. The channel has one band for the
/// taps and one band for the levels.
struct HJIFWriter {
    let law: IntensityLaw

    /// The number of ticks per second that the reference software writes.
    private static let timescale: Int64 = 1_000

    func json(of signal: HapticSignal) -> JSONValue {
        let bands = [taps(signal.taps), wave(signal)].compactMap { $0 }
        return .members(
            ("version", .text("2023")), ("profile", .text("Main")), ("level", .whole(1)),
            ("date", .text("")), ("description", .text("")),
            ("timescale", .whole(Self.timescale)), ("avatars", .list([])),
            (
                "perceptions",
                .list([
                    .members(
                        ("id", .whole(0)), ("avatar_id", .whole(0)), ("description", .text("")),
                        ("perception_modality", .text("Vibrotactile")),
                        ("reference_devices", .list([])), ("effect_library", .list([])),
                        ("channels", .list([channel(bands)])))
                ])
            ))
    }

    private func channel(_ bands: [JSONValue]) -> JSONValue {
        .members(
            ("id", .whole(0)), ("description", .text("")), ("gain", .whole(1)),
            ("mixing_weight", .whole(1)), ("body_part_mask", .whole(0)), ("bands", .list(bands)))
    }

    private func band(_ kind: String, _ effects: [JSONValue]) -> JSONValue {
        .members(
            ("band_type", .text(kind)),
            ("lower_frequency_limit", .whole(Int64(SharpnessFrequency.range.lowerBound))),
            ("upper_frequency_limit", .whole(Int64(SharpnessFrequency.range.upperBound))),
            ("effects", .list(effects)))
    }

    private func effect(_ keyframes: [JSONValue], at position: Int64 = 0) -> JSONValue {
        .members(
            ("effect_type", .text("Basis")), ("position", .whole(position)), ("phase", .whole(0)),
            ("base_signal", .text("Sine")), ("keyframes", .list(keyframes)))
    }

    private func taps(_ taps: [HapticSignal.Tap]) -> JSONValue? {
        guard !taps.isEmpty else { return nil }
        return band(
            "Transient",
            [effect(taps.map { keyframe($0.time, $0.intensity, $0.sharpness) })])
    }

    /// Returns a band with one effect. The effect starts with the first level, because the
    /// reference software also plays this level before its keyframe.
    private func wave(_ signal: HapticSignal) -> JSONValue? {
        guard let first = signal.pieces.first else { return nil }
        let position = Self.ticks(first.start)
        let start = position * 1_000
        let levels = signal.intensityPoints.map { keyframe($0.time - start, $0.value, nil) }
        let tones = signal.sharpnessPoints.map { keyframe($0.time - start, nil, $0.value) }
        let times = signal.intensityPoints.map { $0.time } + signal.sharpnessPoints.map { $0.time }
        let keyframes = zip(times, levels + tones).sorted { $0.0 < $1.0 }.map { $0.1 }
        return band("VectorialWave", [effect(keyframes, at: position)])
    }

    private static func ticks(_ time: Microseconds) -> Int64 { (time + 500) / 1_000 }

    private func keyframe(
        _ time: Microseconds, _ intensity: Double?, _ sharpness: Double?
    ) -> JSONValue {
        let members: [(String, JSONValue)?] = [
            ("relative_position", .whole(Self.ticks(time))),
            intensity.map {
                ("amplitude_modulation", .rounded(law.amplitude(ofIntensity: $0)))
            },
            sharpness.map {
                let hertz = SharpnessFrequency.hertz(ofSharpness: $0).rounded()
                return ("frequency_modulation", .whole(Int64(hertz)))
            },
        ]
        return JSONValue(
            .object(
                JSONObject(members.compactMap { $0 }.map { JSONObject.Member($0.0, $0.1) })))
    }
}
