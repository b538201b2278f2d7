// The stream that plays an excitation.

import HapticCompiler
import HapticPatterns

extension Excitation {
    /// The stream, in which each hold is a level.
    public var compiled: CompiledPattern {
        var time: Microseconds = 0
        var events: [HapticEvent] = []
        for (level, length) in holds {
            let duration = Microseconds(length) * 1_000
            if level > 0 {
                events.append(
                    HapticEvent(
                        .hapticContinuous, time: time, duration: duration,
                        intensity: Double(level) / 255))
            }
            time += duration
        }
        return HapticCompiler.compile(HapticPattern(events: events), profile: .reference)
    }

    /// Returns the excitation with its levels limited to a maximum level, 0...255.
    public func limited(to greatest: UInt8) -> Excitation {
        var limited = self
        limited.holds = holds.map { (min($0.level, greatest), $0.length) }
        return limited
    }
}
