// ChipFormulas: converts millivolts and hertz to register values with the formulas of the data
// sheets.
//
// The formulas for the DRV2605L are in SLOS854D pages 24 and 25. The DRV2605 has the same formulas
// with other constants.

import BridgeLink

/// The formulas of one chip for one actuator, with times in seconds and voltages in millivolts.
struct ChipFormulas {
    let chip: HapticChip
    let kind: ActuatorKind
    /// The resonance in hertz.
    let resonance: Double

    /// The duration of the SAMPLE_TIME code 3, in seconds.
    private static let sampleTime = 300e-6
    /// The duration of the BLANKING_TIME code 1 of an ERM, in seconds.
    private static let blankingTime = 75e-6
    /// The duration of the IDISS_TIME code 1 of an ERM, in seconds.
    private static let dissipationTime = 75e-6
    /// The unit of OL_LRA_PERIOD, in seconds.
    private static let periodStep = 98.46e-6
    /// A factor that reduces a value by 0.05 %, the accuracy with which a device calculates
    /// voltages (SPEC 8.3), because the device may reject a valid value that is this close to the
    /// limit.
    private static let deviceAccuracy = 0.9995
    /// The uncertainty of the printed constants, about 1 mV, as a fraction of a step.
    private static let slack = 0.05

    /// Returns the value of register 0x16. It is rounded to the nearest step for an LRA. It is
    /// rounded down for an ERM, because the device tolerates no excess there. A value halfway
    /// between two steps is rounded down.
    func ratedVoltage(millivolts: Double) -> UInt8 {
        guard kind == .lra else { return Self.roundedDown(millivolts / ermRatedStep) }
        let duty = (1 - (4 * Self.sampleTime + 300e-6) * resonance).squareRoot()
        return Self.register((millivolts * duty / lraRatedStep * Self.deviceAccuracy).rounded())
    }

    /// Returns the value of register 0x17, rounded down so that the clamp never exceeds the peak
    /// voltage that the actuator tolerates.
    func overdriveClamp(millivolts: Double) -> UInt8 {
        guard kind == .erm else { return Self.roundedDown(millivolts / lraClampStep) }
        let drive = 1e-3 + 0.2e-3 * Double(driveTime)
        let duty = (drive - 300e-6) / (drive + Self.dissipationTime + Self.blankingTime)
        return Self.roundedDown(millivolts / (ermClampStep * duty))
    }

    /// Returns the value of register 0x17 in open loop, where it sets the full scale. It is rounded
    /// as register 0x16 is in closed loop.
    func openLoopScale(millivolts: Double) -> UInt8 {
        guard kind == .lra else { return Self.roundedDown(millivolts / ermOpenStep) }
        let duty = (1 - 800e-6 * resonance).squareRoot()
        return Self.register((millivolts / (lraOpenStep * duty) * Self.deviceAccuracy).rounded())
    }

    /// The value of DRIVE_TIME: half a period for an LRA, 4.8 ms for an ERM.
    var driveTime: UInt8 {
        guard kind == .lra else { return 19 }
        let halfPeriod = 0.5 / resonance
        return min(Self.register(((halfPeriod - 0.5e-3) / 0.1e-3).rounded()), 31)
    }

    /// The value of register 0x20: the period at which an LRA is driven in open loop.
    var openLoopPeriod: UInt8 {
        guard kind == .lra else { return 0x33 }
        return min(Self.register((1 / (resonance * Self.periodStep)).rounded()), 127)
    }

    private var lraRatedStep: Double { chip == .drv2605L ? 20.58 : 20.71 }
    private var ermRatedStep: Double { chip == .drv2605L ? 21.18 : 21.33 }
    private var lraClampStep: Double { chip == .drv2605L ? 21.22 : 21.96 }
    /// The step of the clamp of an ERM in millivolts, for both chips, because the device applies
    /// the same limit to both (SPEC 8.3). The data sheet of the DRV2605 states 21.33 mV, so its
    /// peak voltage is 1.4 % lower than the maximum.
    private var ermClampStep: Double { 21.64 }

    private var lraOpenStep: Double { chip == .drv2605L ? 21.32 : 21.33 }
    private var ermOpenStep: Double { chip == .drv2605L ? 21.59 : 21.96 }

    private static func roundedDown(_ value: Double) -> UInt8 {
        register((value + slack).rounded(.down))
    }

    private static func register(_ value: Double) -> UInt8 {
        value.isNaN ? 0 : UInt8(min(max(value, 0), 255))
    }
}
