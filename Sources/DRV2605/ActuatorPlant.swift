// ActuatorPlant: the description of an actuator's motion, with estimates for the properties that
// data sheets omit.

import BridgeLink

/// The description of an actuator's motion (SPEC 8, plant). A value of 0 means that the property is
/// unknown.
public struct ActuatorPlant: Sendable, Hashable {
    /// The time constant of the amplitude of an LRA, or of the speed of an ERM, in milliseconds.
    public var timeConstant: Double
    /// The peak acceleration at the rated voltage, in g.
    public var acceleration: Double
    /// The voltage at which an ERM at rest starts to turn; 0 for an LRA.
    public var startVoltage: Double
    /// The voltage that overcomes the friction of a running ERM; 0 for an LRA.
    public var runningVoltage: Double

    /// Creates a plant from its properties.
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
    /// Estimates a plant from the kind of an actuator, its resonance in hertz and its rated voltage
    /// in volts.
    public init(kind: ActuatorKind, resonance: Double, rated: Double) {
        self = kind == .erm ? .erm(rated: rated) : .lra(resonance: resonance)
    }

    /// Creates the plant of an LRA. The default values are estimates: coin LRAs have quality
    /// factors of 8 to 20 and accelerations of 1.0 to 2.0 g.
    ///
    /// - Parameters:
    ///   - resonance: the resonance in hertz.
    ///   - quality: the quality factor, including the effect of electrical damping.
    ///   - acceleration: the peak acceleration in g.
    public static func lra(
        resonance: Double, quality: Double = 10, acceleration: Double = 1.5
    ) -> ActuatorPlant {
        ActuatorPlant(
            timeConstant: quality / (.pi * resonance) * 1000, acceleration: acceleration)
    }

    /// Creates the plant of an ERM. The default values are estimates: the time constant is a third
    /// of the rise time of common coin ERMs. The start voltage and the running voltage are the same
    /// fractions of the rated voltage as in a 3 V coin ERM that starts at 2.0 V.
    ///
    /// - Parameters:
    ///   - rated: the rated voltage in volts.
    ///   - timeConstant: the time constant in milliseconds.
    ///   - acceleration: the peak acceleration in g.
    public static func erm(
        rated: Double, timeConstant: Double = 40, acceleration: Double = 0.8
    ) -> ActuatorPlant {
        ActuatorPlant(
            timeConstant: timeConstant, acceleration: acceleration,
            startVoltage: rated * 2 / 3, runningVoltage: rated * 0.27)
    }
}

extension ActuatorConfiguration {
    /// True if the chip drives the actuator in open loop: LRA_OPEN_LOOP or ERM_OPEN_LOOP is set in
    /// register 0x1D (SLOS854D 8.6.21).
    public var isOpenLoop: Bool { image[0x1D] & 0x21 != 0 }

    /// The plant, rounded to the resolution of a configuration.
    public var plant: ActuatorPlant {
        get {
            ActuatorPlant(
                timeConstant: Double(timeConstant) / 10, acceleration: Double(acceleration) / 1000,
                startVoltage: band == nil ? Double(startVoltage) / 1000 : 0,
                runningVoltage: band == nil ? Double(runningVoltage) / 1000 : 0)
        }
        set {
            timeConstant = Self.rounded(newValue.timeConstant * 10)
            acceleration = Self.rounded(newValue.acceleration * 1000)
            guard band == nil else { return }
            startVoltage = Self.rounded(newValue.startVoltage * 1000)
            runningVoltage = Self.rounded(newValue.runningVoltage * 1000)
        }
    }

    /// Returns the nearest number that a 16-bit field can store.
    private static func rounded(_ value: Double) -> UInt16 {
        UInt16(max(0, min(Double(UInt16.max), value.rounded())))
    }
}
