// The stream that plays an excitation.

import HapticCompiler
import HapticPatterns

extension Excitation {
    /// The stream, in which each hold is a level.
    public var compiled: CompiledPattern {
        var time: Microseconds = 0
        var events: [HapticEvent] = []
        for hold in holds {
            let duration = Microseconds(hold.length) * 1_000
            if hold.level > 0 {
                events.append(
                    HapticEvent(
                        .hapticContinuous, time: time, duration: duration,
                        intensity: Double(hold.level) / 255, sharpness: hold.sharpness))
            }
            time += duration
        }
        return HapticCompiler.compile(HapticPattern(events: events), profile: .reference)
    }

    /// Returns the excitation with its levels limited to a maximum level, 0...255.
    public func limited(to greatest: UInt8) -> Excitation {
        var limited = self
        for index in limited.holds.indices {
            limited.holds[index].level = min(limited.holds[index].level, greatest)
        }
        return limited
    }
}
