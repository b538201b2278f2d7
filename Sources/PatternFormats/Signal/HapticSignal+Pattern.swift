// Conversion of a signal to an equivalent Core Haptics pattern.

import HapticPatterns

extension HapticPattern {
    /// The maximum number of points in a curve. Apple's editor creates at most this number of
    /// points, and the behavior of players for curves with more points is not documented.
    package static let curvePointsMax = 16
    /// The maximum duration of a continuous event, in microseconds: 30 s (AHAP-doc).
    package static let continuousMax: Microseconds = 30_000_000
    /// The duration for which the intensity control is 1 for a tap, in microseconds.
    ///
    /// A curve scales taps as well as continuous events. Therefore, the curve jumps to 1 at a tap
    /// and back after the tap. The tap masks these jumps, so they are not perceived.
    package static let tapOpening: Microseconds = 1_000

    /// Creates a pattern from a signal. If the intensity and the sharpness of every piece are
    /// constant, each piece becomes an event. Otherwise, events of full intensity cover the whole
    /// signal, and curves control their intensity and sharpness.
    package init(_ signal: HapticSignal) {
        let taps = signal.taps.map {
            HapticEvent(
                .hapticTransient, time: $0.time, intensity: $0.intensity, sharpness: $0.sharpness,
                location: $0.location)
        }
        guard !signal.pieces.allSatisfy({ $0.isConstant }) else {
            self.init(events: Self.steps(signal.pieces) + taps)
            return
        }
        let intensity = signal.intensityPoints
        let (first, last) = (intensity[0].time, intensity[intensity.count - 1].time)
        self.init(
            events: Self.events(from: first, to: last, intensity: 1, sharpness: 0) + taps,
            curves: Self.curves(
                .hapticIntensityControl, Self.opened(intensity, for: signal.taps.map { $0.time }))
                + Self.curves(.hapticSharpnessControl, signal.sharpnessPoints))
    }

    /// Returns an event for each level. Adjacent pieces with equal levels are joined.
    private static func steps(_ pieces: [HapticSignal.Piece]) -> [HapticEvent] {
        var joined: [HapticSignal.Piece] = []
        for piece in pieces where piece.startIntensity > 0 {
            if let last = joined.last, last.end == piece.start,
                last.startIntensity == piece.startIntensity,
                last.startSharpness == piece.startSharpness
            {
                joined[joined.count - 1].end = piece.end
            } else {
                joined.append(piece)
            }
        }
        return joined.flatMap {
            events(
                from: $0.start, to: $0.end, intensity: $0.startIntensity,
                sharpness: $0.startSharpness)
        }
    }

    /// Returns consecutive continuous events, each at most ``continuousMax`` long.
    private static func events(
        from first: Microseconds, to last: Microseconds, intensity: Double, sharpness: Double
    ) -> [HapticEvent] {
        (0..<max(0, last - first + continuousMax - 1) / continuousMax).map { index in
            let start = first + index * continuousMax
            return HapticEvent(
                .hapticContinuous, time: start, duration: min(continuousMax, last - start),
                intensity: intensity, sharpness: sharpness)
        }
    }

    /// Returns consecutive curves with at most ``curvePointsMax`` points each. Each curve begins
    /// with the last point of the previous curve.
    package static func curves(
        _ id: DynamicParameterID, _ points: [Breakpoint]
    ) -> [HapticParameterCurve] {
        var curves: [HapticParameterCurve] = []
        var start = 0
        repeat {
            let end = min(start + curvePointsMax, points.count)
            let origin = points[start].time
            curves.append(
                HapticParameterCurve(
                    id, time: origin,
                    points: points[start..<end].map {
                        Breakpoint(time: $0.time - origin, value: $0.value)
                    }))
            start = end - 1
        } while start + 1 < points.count
        return curves
    }

    /// Returns the intensity control, which is 1 during an interval for each tap.
    private static func opened(
        _ points: [Breakpoint], for times: [Microseconds]
    ) -> [Breakpoint] {
        var result: [Breakpoint] = []
        var rest = points[...]
        var (before, after) = (Breakpoints(points), Breakpoints(points))
        let last = points[points.count - 1].time
        for (index, time) in times.enumerated() where time >= points[0].time {
            if index > 0, times[index - 1] == time { continue }
            let next = times[(index + 1)...].first { $0 > time } ?? .max
            let end = min(time + tapOpening, next)
            result += rest.prefix { $0.time < time }
            rest = rest.drop { $0.time < end }
            // The last point is not followed by a level, so the control remains at 1.
            result += [
                Breakpoint(
                    time: time, value: before.value(at: time, beforeStep: true) ?? 0),
                Breakpoint(time: time, value: 1),
            ]
            guard time < last else { return result }
            result += [
                Breakpoint(time: end, value: 1),
                Breakpoint(time: end, value: after.value(at: end, beforeStep: true) ?? 0),
            ]
        }
        return result + rest
    }
}
