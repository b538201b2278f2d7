// HapticPattern+Repeated: repeats a pattern several times in succession, for a loop.

import HapticPatterns

extension HapticPattern {
    /// The minimum duration of a loop, in microseconds, unless the loop would then have too many
    /// elements. When the repeated pattern has ended, the loop pauses until the actuator is at
    /// rest, and then starts again.
    private static let loopLeast: Microseconds = 60_000_000
    /// The maximum number of elements in a loop of more than one pass.
    private static let elementsMost = 5_000
    /// The minimum duration of a pass, in microseconds.
    private static let passLeast: Microseconds = 10_000

    /// The pattern, repeated several times in succession. At the beginning of each pass, all
    /// parameters have their default values. A pattern with an endless event is not repeated.
    var repeated: HapticPattern {
        guard !isEndless else { return self }
        let pass = max(length, Self.passLeast)
        let elements = max(1, self.events.count + self.parameters.count + self.curves.count)
        let count = max(1, min(Int(Self.loopLeast / pass) + 1, Self.elementsMost / elements))
        let ids = DynamicParameterID.allCases.filter { id in
            self.parameters.contains(where: { $0.id == id })
                || self.curves.contains(where: { $0.id == id })
        }
        var events: [HapticEvent] = []
        var parameters: [HapticDynamicParameter] = []
        var curves: [HapticParameterCurve] = []
        for index in 0..<count {
            let start = pass * Microseconds(index)
            events += self.events.map { $0.later(by: start) }
            if index > 0 {
                parameters += ids.map {
                    HapticDynamicParameter($0, time: start, value: $0.defaultValue)
                }
            }
            parameters += self.parameters.map { parameter in
                var parameter = parameter
                parameter.time += start
                return parameter
            }
            curves += self.curves.map { curve in
                var curve = curve
                curve.time += start
                return curve
            }
        }
        return HapticPattern(events: events, parameters: parameters, curves: curves)
    }
}

extension HapticEvent {
    fileprivate func later(by time: Microseconds) -> HapticEvent {
        var event = self
        event.time += time
        return event
    }
}
