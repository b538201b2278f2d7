// LofeltHapticWriter: converts a pattern to a .haptic file.

import HapticPatterns
import JSONText

/// Writes `.haptic` files.
struct LofeltHapticWriter {
    let law: IntensityLaw

    /// The time between the last tap and the end of the file if no level continues after the tap,
    /// in microseconds. A file must be longer than 0 s.
    private static let tail: Microseconds = 10_000

    func json(of pattern: HapticPattern) -> JSONValue {
        let signal = HapticSignal(pattern)
        return .members(
            ("version", .members(("major", .whole(1)), ("minor", .whole(0)), ("patch", .whole(0)))),
            (
                "signals",
                .members(
                    (
                        "continuous",
                        .members(
                            (
                                "envelopes",
                                .members(
                                    ("amplitude", .list(amplitude(of: signal))),
                                    ("frequency", .list(frequency(of: signal))))
                            ))
                    ))
            ))
    }

    private func amplitude(of signal: HapticSignal) -> [JSONValue] {
        var points = signal.intensityPoints
        if let first = points.first, first.time > 0 {
            points.insert(Breakpoint(time: first.time, value: 0), at: 0)
        }
        if points.first?.time != 0 { points.insert(Breakpoint(time: 0, value: 0), at: 0) }
        let end = max(signal.end, points.last?.time ?? 0)
        if let last = points.last, last.time < end || end == 0 {
            points += [
                Breakpoint(time: last.time, value: 0),
                Breakpoint(time: end + Self.tail, value: 0),
            ]
        }
        return breakpoints(points, signal.taps)
    }

    /// Returns the breakpoints, with an emphasis for each tap. A tap that is weaker than the
    /// envelope is written with the amplitude of the envelope, because the format does not allow a
    /// lower value.
    private func breakpoints(
        _ points: [Breakpoint], _ taps: [HapticSignal.Tap]
    ) -> [JSONValue] {
        var result: [JSONValue] = []
        var envelope = Breakpoints(points)
        var rest = points[...]
        for tap in taps {
            while let point = rest.first, point.time < tap.time {
                result.append(breakpoint(point))
                rest = rest.dropFirst()
            }
            let level = envelope.value(at: tap.time, beforeStep: true) ?? 0
            if rest.first == Breakpoint(time: tap.time, value: level) { rest = rest.dropFirst() }
            result.append(breakpoint(Breakpoint(time: tap.time, value: level), tap))
        }
        return result + rest.map { breakpoint($0) }
    }

    private func breakpoint(_ point: Breakpoint, _ tap: HapticSignal.Tap? = nil) -> JSONValue {
        let amplitude = law.amplitude(ofIntensity: point.value)
        let members: [(String, JSONValue)] = [
            ("time", .seconds(point.time)), ("amplitude", .rounded(amplitude)),
        ]
        let emphasis: [(String, JSONValue)] =
            tap.map {
                let peak = max(law.amplitude(ofIntensity: $0.intensity), amplitude)
                return [
                    (
                        "emphasis",
                        .members(
                            ("amplitude", .rounded(peak)), ("frequency", .rounded($0.sharpness)))
                    )
                ]
            } ?? []
        return JSONValue(
            .object(JSONObject((members + emphasis).map { JSONObject.Member($0.0, $0.1) })))
    }

    private func frequency(of signal: HapticSignal) -> [JSONValue] {
        signal.sharpnessPoints.map {
            .members(
                ("time", .seconds($0.time)),
                ("frequency", .rounded(law.amplitude(ofIntensity: $0.value))))
        }
    }
}
