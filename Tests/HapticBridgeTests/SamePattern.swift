// Whether two patterns mean the same to Core Haptics, whose values are of single precision.

import AHAP
import HapticBridge

extension CHHapticPattern {
    /// Whether every value and time is the same.
    func means(_ other: CHHapticPattern) -> Bool {
        value.inSinglePrecision == other.value.inSinglePrecision
    }
}

extension HapticPattern {
    fileprivate var inSinglePrecision: HapticPattern {
        HapticPattern(
            events: events.map { event in
                var event = event
                // No duration and one of 0 mean the same.
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
