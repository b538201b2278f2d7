// The acceleration that is felt of a pattern on a coin actuator of each kind, and the pulses in it.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction
import VirtualBoard

extension FeltAcceleration {
    /// Computes the acceleration that is felt of a pattern that a board plays on a coin of this
    /// kind.
    public init(of pattern: HapticPattern, on kind: ActuatorKind) throws {
        let configuration: ActuatorConfiguration = kind == .lra ? .coinLRA : .coinERM
        let compiled = HapticCompiler.compile(pattern, profile: kind == .lra ? .lra : .erm)
        let rehearsal = try Rehearsal(
            of: compiled.bytes, tick: Int(compiled.tick), length: compiled.renderedDuration,
            on: configuration)
        self.init(
            of: rehearsal.drive, on: configuration, for: compiled.renderedDuration + 500_000)
    }

    /// A pulse: its peak, and the level of the valley before it as a fraction of the weaker
    /// neighbouring peak.
    public struct Pulse {
        public var peak: Double
        public var time: BoardTime
        public var valley: Double
    }

    /// The pulses: peaks at least twice as high as the valleys beside them.
    public var pulses: [Pulse] {
        var pulses: [Pulse] = []
        var lowest = 0.0
        var rising = 0.0
        var peakTime = 0
        var isRising = true
        for (index, sample) in samples.enumerated() {
            if isRising {
                if sample > rising { (rising, peakTime) = (sample, index) }
                if sample < rising / 2, rising > 0.02 {
                    let weaker = min(rising, pulses.last?.peak ?? rising)
                    pulses.append(
                        Pulse(
                            peak: rising, time: BoardTime(peakTime) * 1_000, valley: lowest / weaker
                        ))
                    (isRising, lowest) = (false, sample)
                }
            } else {
                lowest = min(lowest, sample)
                if sample > max(2 * lowest, 0.02) {
                    (isRising, rising, peakTime) = (true, sample, index)
                }
            }
        }
        return pulses
    }
}
