// FeltAcceleration: what a finger would feel of a drive, by the model of the actuator. Predicted,
// not measured.

import AHAP
import BridgeLink
import CDRV2605Model
import HapticCompiler
import VirtualBoard

/// The acceleration of an actuator, in g, at every millisecond from a time on.
public struct FeltAcceleration {
    public let samples: [Double]

    init(
        _ changes: [DriveChange], kind: ActuatorKind, from start: BoardTime, for length: BoardTime
    ) {
        var model = actuator_model()
        if kind == .erm {
            withUnsafePointer(to: actuator_erm_coin_b1034) { actuator_model_init_erm(&model, $0) }
        } else {
            withUnsafePointer(to: actuator_lra_coin_10mm) { actuator_model_init_lra(&model, $0) }
        }
        var rest = changes.drop { $0.time <= start }
        var drive = Int16(changes.last { $0.time <= start }?.drive ?? 0)
        samples = stride(from: BoardTime(0), to: length, by: 1_000).map { time in
            while let change = rest.first, change.time <= start + time {
                actuator_model_advance(&model, UInt64(change.time - start), drive)
                drive = Int16(change.drive)
                rest.removeFirst()
            }
            actuator_model_advance(&model, UInt64(time), drive)
            return actuator_model_acceleration_g(&model)
        }
    }

    /// What is felt of a pattern that an in-process board plays on a coin of this kind, from a
    /// millisecond before its beginning.
    public init(of pattern: HapticPattern, on kind: ActuatorKind) throws {
        let configuration =
            kind == .lra
            ? ActuatorConfiguration.coinLRA
            : ActuatorConfiguration(
                kind: .erm, resonance: 0, rated: 3_000, overdrive: 3_600, chip: .drv2605L)
        let board = InProcessBoard.configured { $0.configuration = configuration.bytes }
        let link = SteppedLink(board)
        guard link.connect() else { throw PlayedPattern.Failure.notConnected }
        let compiled = HapticCompiler.compile(pattern, profile: kind == .lra ? .lra : .erm)
        let played = try PlayedPattern(compiled, on: link)
        self.init(
            board.driveChanges, kind: kind, from: played.origin - 1_000,
            for: compiled.renderedDuration + 500_000)
    }

    /// A pulse: its peak, and how deep the valley before it is, as part of the weaker neighbour.
    public struct Pulse {
        public var peak: Double
        public var time: BoardTime
        public var valley: Double
    }

    /// Peaks that stand out of the valleys beside them to at least twice their depth.
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
