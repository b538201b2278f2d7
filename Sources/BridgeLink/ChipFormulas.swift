// ChipFormulas: from millivolts and hertz to register values, as the data sheets print them.
//
// DRV2605L: SLOS854D pages 24 and 25. DRV2605: the same forms with that chip's constants.

/// The chips that a device may drive; others are refused with `FAULT_WRONG_CHIP` (SPEC 8).
public enum HapticChip: String, Hashable, Sendable, CaseIterable {
    case drv2605
    case drv2605L

    /// The chip whose STATUS register has this DEVICE_ID, or nil if it is refused.
    public init?(deviceID: UInt8) {
        switch deviceID {
        case 3: self = .drv2605
        case 7: self = .drv2605L
        default: return nil
        }
    }
}

/// The formulas of one chip for one actuator. Times in seconds, voltages in millivolts.
struct ChipFormulas {
    let chip: HapticChip
    let kind: ActuatorKind
    /// Hertz.
    let resonance: Double

    /// SAMPLE_TIME 3.
    private static let sampleTime = 300e-6
    /// BLANKING_TIME 1 and IDISS_TIME 1 of an ERM.
    private static let blankingTime = 75e-6
    private static let dissipationTime = 75e-6
    /// OL_LRA_PERIOD counts steps of this length.
    private static let periodStep = 98.46e-6
    /// The share of a step, 1 mV, that the printed constants leave open.
    private static let slack = 0.05

    /// 0x16: to the nearest step for an LRA, down for an ERM, where the device allows no excess.
    func ratedVoltage(millivolts: Double) -> UInt8 {
        guard kind == .lra else { return Self.roundedDown(millivolts / ermRatedStep) }
        let duty = (1 - (4 * Self.sampleTime + 300e-6) * resonance).squareRoot()
        return Self.register((millivolts * duty / lraRatedStep).rounded())
    }

    /// 0x17, rounded down: never above the peak that the actuator stands.
    func overdriveClamp(millivolts: Double) -> UInt8 {
        guard kind == .erm else { return Self.roundedDown(millivolts / lraClampStep) }
        let drive = 1e-3 + 0.2e-3 * Double(driveTime)
        let duty = (drive - 300e-6) / (drive + Self.dissipationTime + Self.blankingTime)
        return Self.roundedDown(millivolts / (ermClampStep * duty))
    }

    /// 0x17 of an LRA in an open loop, where it is the full scale: to the nearest step.
    func openLoopScale(rms millivolts: Double) -> UInt8 {
        let duty = (1 - 800e-6 * resonance).squareRoot()
        return Self.register((millivolts / (lraOpenStep * duty)).rounded())
    }

    /// 0x17 of an ERM in an open loop.
    func openLoopScale(average millivolts: Double) -> UInt8 {
        Self.roundedDown(millivolts / ermOpenStep)
    }

    /// The highest level that the device allows in an open loop of this full scale (SPEC 8).
    func openLoopLevelMax(scale: UInt8, rated millivolts: Double) -> UInt8 {
        let (step, share) = kind == .lra ? (21.32, 1.1) : (21.59, 1)
        return Self.register((255 * share * millivolts / (Double(scale) * step)).rounded(.down))
    }

    /// DRIVE_TIME: half a period of an LRA, 4.8 ms for an ERM.
    var driveTime: UInt8 {
        guard kind == .lra else { return 19 }
        let halfPeriod = 0.5 / resonance
        return min(Self.register(((halfPeriod - 0.5e-3) / 0.1e-3).rounded()), 31)
    }

    /// 0x20: the period that an LRA is driven at when its loop is open.
    var openLoopPeriod: UInt8 {
        guard kind == .lra else { return 0x33 }
        return min(Self.register((1 / (resonance * Self.periodStep)).rounded()), 127)
    }

    private var lraRatedStep: Double { chip == .drv2605L ? 20.58 : 20.71 }
    private var ermRatedStep: Double { chip == .drv2605L ? 21.18 : 21.33 }
    private var lraClampStep: Double { chip == .drv2605L ? 21.22 : 21.96 }
    private var ermClampStep: Double { chip == .drv2605L ? 21.64 : 21.33 }

    private var lraOpenStep: Double { chip == .drv2605L ? 21.32 : 21.33 }
    private var ermOpenStep: Double { chip == .drv2605L ? 21.59 : 21.96 }

    private static func roundedDown(_ value: Double) -> UInt8 {
        register((value + slack).rounded(.down))
    }

    private static func register(_ value: Double) -> UInt8 {
        value.isNaN ? 0 : UInt8(min(max(value, 0), 255))
    }
}
