// ChipFormulas: converts millivolts and hertz to register values, using the formulas of the data
// sheets.
//
// The formulas for the DRV2605L are on pages 24 and 25 of SLOS854D. The DRV2605 uses the same
// formulas with other constants.

import BridgeLink
import CBridgeProtocol

/// The formulas for one chip that drives one actuator. Times are in seconds and voltages in
/// millivolts.
struct ChipFormulas {
    let chip: HapticChip
    let kind: ActuatorKind
    /// The resonance in hertz.
    let resonance: Double

    /// The duration that code 3 of SAMPLE_TIME represents, in seconds.
    private static let sampleTime = 300e-6
    /// The duration that code 1 of an ERM's BLANKING_TIME represents, in seconds.
    private static let blankingTime = 75e-6
    /// The duration that code 1 of an ERM's IDISS_TIME represents, in seconds.
    private static let dissipationTime = 75e-6
    /// The unit of OL_LRA_PERIOD, in seconds.
    private static let periodStep = 98.46e-6
    /// A factor that reduces a value by 0.05 %, which is the accuracy of a device's voltage
    /// calculations (SPEC 8.3). Without the reduction, a device might reject a valid value that is
    /// very close to the limit.
    private static let deviceAccuracy = 0.9995
    /// The uncertainty of the constants printed in the data sheet, about 1 mV, as a fraction of a
    /// step.
    private static let slack = 0.05

    /// Returns the value of register 0x16. For an LRA, the value is rounded to the nearest step,
    /// and a value halfway between two steps is rounded down. For an ERM, the value is always
    /// rounded down, because the device does not accept a value above the limit.
    func ratedVoltage(millivolts: Double) -> UInt8 {
        guard kind != .erm else { return Self.roundedDown(millivolts / ermRatedStep) }
        let duty = (1 - (4 * Self.sampleTime + 300e-6) * resonance).squareRoot()
        return Self.register((millivolts * duty / lraRatedStep * Self.deviceAccuracy).rounded())
    }

    /// Returns the value of register 0x17. The value is rounded down, so that the clamp voltage
    /// never exceeds the peak voltage that the actuator tolerates.
    func overdriveClamp(millivolts: Double) -> UInt8 {
        guard kind == .erm else { return Self.roundedDown(millivolts / lraClampStep) }
        let drive = 1e-3 + 0.2e-3 * Double(driveTime)
        let duty = (drive - 300e-6) / (drive + Self.dissipationTime + Self.blankingTime)
        return Self.roundedDown(millivolts / (ermClampStep * duty))
    }

    /// Returns the value of register 0x17 in open loop, where the register sets the full scale. The
    /// value is rounded like the value of register 0x16 in closed loop.
    func openLoopScale(millivolts: Double) -> UInt8 {
        guard kind != .erm else { return Self.roundedDown(millivolts / ermOpenStep) }
        let duty = (1 - 800e-6 * resonance).squareRoot()
        return Self.register((millivolts / (lraOpenStep * duty) * Self.deviceAccuracy).rounded())
    }

    /// The value of DRIVE_TIME: half a period for an LRA, 4.8 ms for an ERM.
    var driveTime: UInt8 {
        guard kind != .erm else { return 19 }
        let halfPeriod = 0.5 / resonance
        return min(Self.register(((halfPeriod - 0.5e-3) / 0.1e-3).rounded()), 31)
    }

    /// The value of register 0x20, which sets the drive period of an LRA in open loop.
    var openLoopPeriod: UInt8 {
        guard kind != .erm else { return 0x33 }
        return Self.period(of: resonance)
    }

    /// Returns the value of register 0x20 for a frequency in hertz.
    static func period(of frequency: Double) -> UInt8 {
        min(register((1 / (frequency * periodStep)).rounded()), 127)
    }

    /// Returns the frequency in 0.1 Hz for a value of register 0x20, within the limits of a band. A
    /// device accepts a frequency whose period differs by less than a step (SPEC 8.9).
    static func frequency(ofPeriod period: UInt8) -> UInt16 {
        let exact = (10 / (Double(period) * periodStep)).rounded()
        return UInt16(min(max(exact, Double(BRIDGE_FREQUENCY_MIN)), Double(BRIDGE_FREQUENCY_MAX)))
    }

    private var lraRatedStep: Double { chip == .drv2605L ? 20.58 : 20.71 }
    private var ermRatedStep: Double { chip == .drv2605L ? 21.18 : 21.33 }
    private var lraClampStep: Double { chip == .drv2605L ? 21.22 : 21.96 }
    /// The step of the clamp voltage of an ERM in millivolts. The step is the same for both chips,
    /// because the device applies the same limit to both chips (SPEC 8.3). The data sheet of the
    /// DRV2605 states 21.33 mV, so the peak voltage of that chip is 1.4 % below the maximum.
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
