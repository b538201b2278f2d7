// FittedCurve: approximates a curve that has many points by a small number of straight lines.

import HapticPatterns

/// Functions that reduce the number of points of a curve.
public enum FittedCurve {
    /// Returns the corners of connected straight lines that approximate a curve. The distance
    /// between the lines and every point of the curve is at most the tolerance, plus a rounding
    /// error of up to half of 1/255. The lines pass exactly through points whose value is 0.
    ///
    /// - Parameters:
    ///   - curve: the points in order of time, with values of 0...1.
    ///   - first: the value before the first point; nil if the curve may start at any value.
    ///   - tolerance: a closure that returns the maximum deviation for a given value.
    /// - Returns: the corners, at times that are multiples of a tick, from the first to the last point.
    public static func points(
        _ curve: [HapticParameterCurve.Point], from first: Double?,
        within tolerance: (Double) -> Double
    ) -> [HapticParameterCurve.Point] {
        guard let start = curve.first, let end = curve.last else { return [] }
        var fitter = CurveFitter(
            tolerance: 0, slack: 0.5, initialValue: first?.onWireScale.nearestWireValue)
        for point in curve {
            let tick = StreamTime.nearestTick(to: point.time)
            let value = point.value.onWireScale
            fitter.tolerance = tolerance(point.value).onWireScale
            point.value == 0 ? fitter.knot(tick, 0) : fitter.pass(tick, value)
        }
        let last = StreamTime.nearestTick(to: end.time)
        fitter.release(at: last)
        return corners(
            of: fitter.events, from: StreamTime.nearestTick(to: start.time), to: last,
            first?.onWireScale.nearestWireValue)
    }

    private static func corners(
        of events: [CurveEvent], from start: Ticks, to end: Ticks, _ first: UInt8?
    ) -> [HapticParameterCurve.Point] {
        var points: [HapticParameterCurve.Point] = []
        var value = first ?? events.first?.value ?? 0
        func add(_ tick: Ticks) {
            points.append(.init(time: StreamTime.time(of: tick), value: Double(value) / 255))
        }
        add(start)
        for event in events {
            add(event.tick)
            value = event.value
            add(event.tick + event.duration)
        }
        add(end)
        return points
    }
}
