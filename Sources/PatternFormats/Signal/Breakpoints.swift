// Breakpoints: values at times, with linear interpolation between them.

import HapticPatterns

/// A value at a time. The time is in microseconds.
package typealias Breakpoint = HapticParameterCurve.Point

/// Breakpoints in order of time. The first value also applies before the first breakpoint, and the
/// last value after the last breakpoint. Two breakpoints at the same time form a step.
package struct Breakpoints: Sendable {
    /// The breakpoints.
    package let points: [Breakpoint]
    /// The index of the first breakpoint after the time of the previous call.
    private var next = 0

    /// Creates breakpoints from points in order of time.
    package init(_ points: [Breakpoint]) { self.points = points }

    /// Returns the value at the given time, which must not precede the time of the previous call.
    /// At a step, the result is the value after the step, or the value before the step if
    /// `beforeStep` is true.
    package mutating func value(at time: Microseconds, beforeStep: Bool = false) -> Double? {
        if beforeStep {
            while next < points.count, points[next].time < time { next += 1 }
        } else {
            while next < points.count, points[next].time <= time { next += 1 }
        }
        guard next > 0 else { return points.first?.value }
        let left = points[next - 1]
        guard next < points.count else { return left.value }
        let right = points[next]
        guard right.time > left.time else { return right.value }
        let fraction = Double(time - left.time) / Double(right.time - left.time)
        return left.value + (right.value - left.value) * fraction
    }
}

extension HapticSignal {
    /// Creates a signal from an intensity envelope and a sharpness envelope, both in order of time.
    /// Outside the envelopes, the intensity is 0, and the sharpness keeps its first or last value.
    package init(
        intensity: [Breakpoint], sharpness: [Breakpoint], default value: Double = 0.5,
        taps: [Tap] = []
    ) {
        guard let first = intensity.first?.time, let last = intensity.last?.time, last > first
        else {
            self.init(taps: taps)
            return
        }
        let inside = sharpness.lazy.map { $0.time }.filter { $0 > first && $0 < last }
        let times = Array(intensity.map { $0.time } + inside).sorted()
        var levels = Breakpoints(intensity)
        var tones = Breakpoints(sharpness)
        var pieces: [Piece] = []
        for (start, end) in zip(times, times.dropFirst()) where end > start {
            let level = levels.value(at: start) ?? 0
            let tone = tones.value(at: start) ?? value
            pieces.append(
                Piece(
                    from: start, to: end,
                    intensity: (level, levels.value(at: end, beforeStep: true) ?? 0),
                    sharpness: (tone, tones.value(at: end, beforeStep: true) ?? value)))
        }
        self.init(pieces: pieces, taps: taps)
    }

    /// The intensity as breakpoints, including the silence between pieces; empty if there are no
    /// pieces.
    package var intensityPoints: [Breakpoint] {
        var points: [Breakpoint] = []
        var end: Microseconds?
        for piece in pieces {
            if let end, end < piece.start {
                points += [.init(time: end, value: 0), .init(time: piece.start, value: 0)]
            }
            points.append(.init(time: piece.start, value: piece.startIntensity))
            points.append(.init(time: piece.end, value: piece.endIntensity))
            end = piece.end
        }
        return points.simplified
    }

    /// The sharpness as breakpoints; empty if there are no pieces. Between pieces, the sharpness is
    /// interpolated.
    package var sharpnessPoints: [Breakpoint] {
        pieces.flatMap { piece in
            [
                Breakpoint(time: piece.start, value: piece.startSharpness),
                Breakpoint(time: piece.end, value: piece.endSharpness),
            ]
        }.simplified
    }
}

extension [Breakpoint] {
    /// The breakpoints except the redundant ones: those that are repeated, or that are on a
    /// straight line between their neighbors.
    package var simplified: [Breakpoint] {
        var result: [Breakpoint] = []
        for point in self {
            if let last = result.last, point.repeats(last) { continue }
            while result.count >= 2,
                point.isOnLine(from: result[result.count - 2], over: result[result.count - 1])
            {
                result.removeLast()
            }
            result.append(point)
        }
        return result
    }
}

extension Breakpoint {
    /// The tolerance for equal values, far below the smallest step of a level.
    private static let tolerance = 1e-7

    fileprivate func repeats(_ other: Breakpoint) -> Bool {
        time == other.time && abs(value - other.value) <= Self.tolerance
    }

    fileprivate func isOnLine(from first: Breakpoint, over middle: Breakpoint) -> Bool {
        guard first.time < middle.time, middle.time < time else {
            // If more than two breakpoints have the same time, only the first and the last value
            // matter.
            return first.time == middle.time && middle.time == time
        }
        let fraction = Double(middle.time - first.time) / Double(time - first.time)
        let line = first.value + (value - first.value) * fraction
        return abs(line - middle.value) <= Self.tolerance
    }
}
