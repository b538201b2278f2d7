// AndroidXMLWriter: converts a signal to `<vibration-effect>`.

import HapticPatterns

/// Writes `<vibration-effect>`. A signal that consists only of taps is written as primitives, and a
/// signal of constant levels without sharpness as a waveform. Any other signal is written as one
/// basic envelope.
struct AndroidXMLWriter {
    let law: IntensityLaw

    /// The primitives that represent taps, and the sharpness of each.
    private static let taps = [("low_tick", 0.25), ("click", 0.5), ("tick", 0.75)]

    /// The length of a tap in an envelope, in milliseconds.
    private static let tapLength: Int64 = 10

    func text(of signal: HapticSignal) -> String {
        let isWaveform =
            signal.taps.isEmpty
            && signal.pieces.allSatisfy { $0.isConstant && $0.startSharpness == 0.5 }
        let lines =
            isWaveform
            ? waveform(signal)
            : signal.pieces.isEmpty ? primitives(signal.taps) : envelope(signal)
        return (["<vibration-effect>"] + lines + ["</vibration-effect>", ""])
            .joined(separator: "\n")
    }

    /// Returns a primitive for each tap. The delay of a primitive is counted from the end of the
    /// previous primitive.
    private func primitives(_ taps: [HapticSignal.Tap]) -> [String] {
        var end: Microseconds = 0
        var lines: [String] = []
        for tap in taps {
            let nearest = Self.taps.min {
                abs($0.1 - tap.sharpness) < abs($1.1 - tap.sharpness)
            }
            let name = nearest?.0 ?? "click"
            let delay = max(0, (tap.time - end + 500) / 1_000)
            let delayed = delay > 0 ? " delayMs=\"\(delay)\"" : ""
            lines.append(
                "  <primitive-effect name=\"\(name)\" scale=\"\(rounded(tap.intensity))\"\(delayed)/>"
            )
            end += delay * 1_000 + (AndroidEffect.primitives[name]?.length ?? 0)
        }
        return lines
    }

    /// Returns a step for each level and each pause.
    private func waveform(_ signal: HapticSignal) -> [String] {
        var now: Int64 = 0
        var lines: [String] = []
        func add(_ end: Microseconds, _ intensity: Double) {
            let end = (end + 500) / 1_000
            guard end > now else { return }
            let amplitude = law.amplitude(ofIntensity: intensity) * AndroidWaveform.amplitudeMax
            lines.append(
                "    <waveform-entry durationMs=\"\(end - now)\" "
                    + "amplitude=\"\(Int(amplitude.rounded()))\"/>")
            now = end
        }
        for piece in signal.pieces {
            add(piece.start, 0)
            add(piece.end, piece.startIntensity)
        }
        // Android rejects a waveform that lasts 0 ms.
        if lines.isEmpty { add(1_000, 0) }
        return ["  <waveform-effect>"] + lines + ["  </waveform-effect>"]
    }

    private func envelope(_ signal: HapticSignal) -> [String] {
        let taps = signal.taps.map(pulse)
        let points = controlPoints(HapticSignal.merged(([signal] + taps)[...]))
        let first =
            signal.sharpnessPoints.first.map { " initialSharpness=\"\(rounded($0.value))\"" } ?? ""
        return ["  <basic-envelope-effect\(first)>"]
            + points.map {
                "    <control-point intensity=\"\(rounded($0.intensity))\" "
                    + "sharpness=\"\(rounded($0.sharpness))\" durationMs=\"\($0.duration)\"/>"
            } + ["  </basic-envelope-effect>"]
    }

    /// Returns a short interval at a constant level that represents a tap.
    private func pulse(_ tap: HapticSignal.Tap) -> HapticSignal {
        HapticSignal(pieces: [
            .init(
                from: tap.time, to: tap.time + Self.tapLength * 1_000,
                intensity: (tap.intensity, tap.intensity), sharpness: (tap.sharpness, tap.sharpness)
            )
        ])
    }

    private struct Point {
        var intensity: Double
        var sharpness: Double
        var duration: Int64
    }

    /// Returns control points at whole milliseconds. A step takes 1 ms, which is the shortest
    /// duration. The envelope begins and ends at 0, as Android requires.
    private func controlPoints(_ signal: HapticSignal) -> [Point] {
        var sharpness = Breakpoints(signal.sharpnessPoints)
        var levels = signal.intensityPoints
        if let first = levels.first, first.time > 0 {
            levels.insert(Breakpoint(time: first.time, value: 0), at: 0)
        }
        if let last = levels.last { levels.append(Breakpoint(time: last.time, value: 0)) }
        let inside = signal.sharpnessPoints.map { $0.time }
        var times = inside[...]
        var line = Breakpoints(levels)
        var points: [Point] = []
        var now: Int64 = 0
        func add(_ time: Microseconds, _ level: Double) {
            // If several steps fall within the same millisecond, some of these steps are lost.
            let exact = (time + 500) / 1_000
            guard exact >= now else { return }
            let at = max(exact, now + 1)
            points.append(
                Point(
                    intensity: level, sharpness: sharpness.value(at: time) ?? 0.5,
                    duration: at - now))
            now = at
        }
        for point in levels.simplified where point.time > 0 || point.value > 0 {
            while let time = times.first, time < point.time {
                times = times.dropFirst()
                if time > 0, time / 1_000 > now {
                    add(time, line.value(at: time, beforeStep: true) ?? 0)
                }
            }
            times = times.drop { $0 == point.time }
            add(point.time, point.value)
        }
        if points.last?.intensity != 0 { add(Microseconds(now + 1) * 1_000, 0) }
        return points
    }

    private func rounded(_ value: Double) -> String {
        "\((min(max(value, 0), 1) * 10_000).rounded() / 10_000)"
    }
}
