// ChipFormulas: converts millivolts and hertz to register values by the formulas of the data
// sheets.
//
// DRV2605L: SLOS854D pages 24 and 25. DRV2605: the same formulas with the constants of that chip.

import BridgeLink

/// The formulas of one chip for one actuator, with times in seconds and voltages in millivolts.
struct ChipFormulas {
    let chip: HapticChip
    let kind: ActuatorKind
    /// The resonance in hertz.
    let resonance: Double

    /// The duration that SAMPLE_TIME 3 stands for, in seconds.
    private static let sampleTime = 300e-6
    /// The duration that BLANKING_TIME 1 of an ERM stands for, in seconds; `dissipationTime` is
    /// that of IDISS_TIME 1.
    private static let blankingTime = 75e-6
    private static let dissipationTime = 75e-6
    /// The step in which OL_LRA_PERIOD counts, in seconds.
    private static let periodStep = 98.46e-6
    /// A factor that lowers a value by 0.05 %, the accuracy with which a device computes voltages (SPEC 8.3):
    /// within it, the device may refuse what is legal.
    private static let deviceAccuracy = 0.9995
    /// The share of a step, about 1 mV, that the printed constants leave uncertain.
    private static let slack = 0.05

    /// Returns the value of register 0x16, rounded to the nearest step for an LRA and down for an
    /// ERM, for which the device tolerates no excess. A value half-way between steps is rounded down.
    func ratedVoltage(millivolts: Double) -> UInt8 {
        guard kind == .lra else { return Self.roundedDown(millivolts / ermRatedStep) }
        let duty = (1 - (4 * Self.sampleTime + 300e-6) * resonance).squareRoot()
        return Self.register((millivolts * duty / lraRatedStep * Self.deviceAccuracy).rounded())
    }

    /// Returns the value of register 0x17, rounded down so that the clamp never exceeds the peak
    /// that the actuator tolerates.
    func overdriveClamp(millivolts: Double) -> UInt8 {
        guard kind == .erm else { return Self.roundedDown(millivolts / lraClampStep) }
        let drive = 1e-3 + 0.2e-3 * Double(driveTime)
        let duty = (drive - 300e-6) / (drive + Self.dissipationTime + Self.blankingTime)
        return Self.roundedDown(millivolts / (ermClampStep * duty))
    }

    /// Returns the value of register 0x17 in an open loop, where it sets the full scale: rounded as
    /// register 0x16 is in a closed loop.
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

    /// The value of register 0x20: the period at which an LRA is driven in an open loop.
    var openLoopPeriod: UInt8 {
        guard kind == .lra else { return 0x33 }
        return min(Self.register((1 / (resonance * Self.periodStep)).rounded()), 127)
    }

    private var lraRatedStep: Double { chip == .drv2605L ? 20.58 : 20.71 }
    private var ermRatedStep: Double { chip == .drv2605L ? 21.18 : 21.33 }
    private var lraClampStep: Double { chip == .drv2605L ? 21.22 : 21.96 }
    /// Of both chips, as the device allows no more of either (SPEC 8.3); for a DRV2605 its data sheet gives
    /// 21.33 mV, so that its peak is 1.4 % lower than it may be.
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
