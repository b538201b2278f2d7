// SamePattern: the equality of two patterns, with values in single precision as in Core Haptics.

import HapticBridge
import HapticPatterns

extension CHHapticPattern {
    /// Returns true if all values and times of two patterns are equal.
    func means(_ other: CHHapticPattern) -> Bool {
        value.inSinglePrecision == other.value.inSinglePrecision
    }
}

extension HapticPattern {
    fileprivate var inSinglePrecision: HapticPattern {
        HapticPattern(
            events: events.map { event in
                var event = event
                // A missing duration is equivalent to a duration of 0.
                event.length = event.length ?? 0
                for id in EventParameterID.allCases { event[id] = Double(Float(event[id])) }
                return event
            },
            parameters: parameters.map { parameter in
                var parameter = parameter
                parameter.value = Double(Float(parameter.value))
                return parameter
            },
            curves: curves.map { curve in
                var curve = curve
                curve.points = curve.points.map {
                    .init(time: $0.time, value: Double(Float($0.value)))
                }
                return curve
            })
    }
}
