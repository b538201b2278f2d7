// ActuatorPlant: the way in which an actuator moves, with estimates for what data sheets leave out.

import BridgeLink

/// The way in which an actuator moves (SPEC 8, plant). 0 stands for what is not known.
public struct ActuatorPlant: Sendable, Hashable {
    /// The time constant of the amplitude of an LRA, or of the speed of an ERM, in milliseconds.
    public var timeConstant: Double
    /// The peak acceleration at the rated voltage, in g.
    public var acceleration: Double
    /// The voltage from which a resting ERM starts; 0 for an LRA.
    public var startVoltage: Double
    /// The voltage that the friction of a turning ERM takes; 0 for an LRA.
    public var runningVoltage: Double

    /// Creates a plant from its figures.
    public init(
        timeConstant: Double, acceleration: Double, startVoltage: Double = 0,
        runningVoltage: Double = 0
    ) {
        self.timeConstant = timeConstant
        self.acceleration = acceleration
        self.startVoltage = startVoltage
        self.runningVoltage = runningVoltage
    }
}

extension ActuatorPlant {
    /// Creates the estimate for an actuator of which only its kind, its resonance in hertz and its
    /// rated voltage in volts are known.
    public init(kind: ActuatorKind, resonance: Double, rated: Double) {
        self = kind == .erm ? .erm(rated: rated) : .lra(resonance: resonance)
    }

    /// Makes the plant of an LRA. The defaults are estimates: coin LRAs have a quality of 8 to 20 and
    /// an acceleration of 1.0 to 2.0 g.
    ///
    /// - Parameters:
    ///   - resonance: hertz.
    ///   - quality: Q, electrical damping included.
    ///   - acceleration: g, peak.
    public static func lra(
        resonance: Double, quality: Double = 10, acceleration: Double = 1.5
    ) -> ActuatorPlant {
        ActuatorPlant(
            timeConstant: quality / (.pi * resonance) * 1000, acceleration: acceleration)
    }

    /// Makes the plant of an ERM. The defaults are estimates: the time constant is a third of the
    /// rise of common coin ERMs, and the shares of the rated voltage are those of a coin ERM of 3 V
    /// that starts from 2.0 V.
    ///
    /// - Parameters:
    ///   - rated: volts.
    ///   - timeConstant: milliseconds.
    ///   - acceleration: g, peak.
    public static func erm(
        rated: Double, timeConstant: Double = 40, acceleration: Double = 0.8
    ) -> ActuatorPlant {
        ActuatorPlant(
            timeConstant: timeConstant, acceleration: acceleration,
            startVoltage: rated * 2 / 3, runningVoltage: rated * 0.27)
    }
}

extension ActuatorConfiguration {
    /// True if the chip drives in an open loop: LRA_OPEN_LOOP or ERM_OPEN_LOOP of register 0x1D
    /// (SLOS854D 8.6.21).
    public var isOpenLoop: Bool { image[0x1D] & 0x21 != 0 }

    /// The plant, in the resolution with which a configuration stores it.
    public var plant: ActuatorPlant {
        get {
            ActuatorPlant(
                timeConstant: Double(timeConstant) / 10, acceleration: Double(acceleration) / 1000,
                startVoltage: Double(startVoltage) / 1000,
                runningVoltage: Double(runningVoltage) / 1000)
        }
        set {
            timeConstant = Self.rounded(newValue.timeConstant * 10)
            acceleration = Self.rounded(newValue.acceleration * 1000)
            startVoltage = Self.rounded(newValue.startVoltage * 1000)
            runningVoltage = Self.rounded(newValue.runningVoltage * 1000)
        }
    }

    /// Returns the nearest number that a field can hold.
    private static func rounded(_ value: Double) -> UInt16 {
        UInt16(max(0, min(Double(UInt16.max), value.rounded())))
    }
}
