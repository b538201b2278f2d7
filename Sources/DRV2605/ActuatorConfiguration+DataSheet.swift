// Creates a configuration from an actuator's data sheet, with default values for the properties
// that data sheets omit.

import BridgeLink
import CBridgeProtocol

extension ActuatorConfiguration {
    /// Creates a configuration from the data sheet of an actuator.
    ///
    /// Properties that data sheets omit receive default values, which can be changed afterwards:
    /// - The taps of an LRA last 1 cycle of its resonance at sharpness 255, and 7 cycles at
    ///   sharpness 0. This range contains the pulse lengths that bring the LRA to all possible
    ///   intensities. The rise time of an LRA is 6 cycles (for a quality factor of 10, with
    ///   overdrive), and its brake time is 5 cycles, but at least 20 ms.
    /// - The taps of an ERM last 12 ms at sharpness 255 and 65 ms at sharpness 0. The rise time of
    ///   an ERM is 50 ms, and its brake time is 100 ms.
    /// - The onset is that of the chip: 750 µs for an LRA and 600 µs for an ERM (SLOS854D page 10).
    /// - The plant is the estimate of `ActuatorPlant` for the kind, the resonance and the rated
    ///   voltage.
    ///
    /// - Parameters:
    ///   - resonance: the resonance in hertz, 125 to 300 for an LRA (SLOS854D page 6); ignored for
    ///     an ERM.
    ///   - rated: the rated voltage in millivolts, at most `RATED_MV_MAX`: the rms voltage of an
    ///     LRA, or the average voltage of an ERM.
    ///   - overdrive: the peak overdrive voltage in millivolts, at most `OVERDRIVE_MV_MAX`.
    ///   - plant: the description of the actuator's motion; nil to use an estimate.
    public init(
        kind: ActuatorKind, resonance: Double = 0, rated: UInt16, overdrive: UInt16,
        chip: HapticChip, locality: Locality = .default, name: String = "",
        tuning: LoopTuning = LoopTuning(), loop: DriveLoop = .closed,
        plant: ActuatorPlant? = nil
    ) {
        let timing = kind == .lra ? DefaultTiming(resonance: resonance) : .erm
        self.init(
            kind: kind, locality: locality,
            resonance: kind == .lra ? UInt16(clamping: Int((resonance * 10).rounded())) : 0,
            rated: rated, overdrive: overdrive,
            tapDull: timing.tapDull, tapSharp: timing.tapSharp,
            rise: timing.rise, brake: timing.brake, onset: timing.onset,
            image: RegisterImage(
                kind: kind, resonance: resonance, rated: Double(rated),
                overdrive: Double(overdrive), chip: chip, tuning: tuning, loop: loop),
            name: name)
        self.plant =
            plant
            ?? ActuatorPlant(kind: kind, resonance: resonance, rated: Double(rated) / 1000)
    }
}

extension ActuatorConfiguration {
    /// The coin LRA VG1040003D: 10 mm, 170 Hz, 2.5 V rms. Virtual boards drive this actuator.
    public static let coinLRA = ActuatorConfiguration(
        kind: .lra, resonance: 170, rated: 2500, overdrive: 3540, chip: .drv2605L,
        name: "LRA 170 Hz", plant: .lra(resonance: 170))

    /// The coin ERM B1034.FL45-00-015: 10 mm, 3 V. The start voltage is from the data sheet of the
    /// ERM; all other values of the plant are estimates.
    public static let coinERM = ActuatorConfiguration(
        kind: .erm, rated: 3000, overdrive: 3600, chip: .drv2605L, name: "ERM 3 V",
        plant: ActuatorPlant(
            timeConstant: 40, acceleration: 0.8, startVoltage: 2.0, runningVoltage: 0.8))
}

/// Default values for times that data sheets omit. Tap lengths and the onset are in microseconds,
/// all other times in milliseconds.
private struct DefaultTiming {
    var tapDull: UInt16
    var tapSharp: UInt16
    var rise: UInt8
    var brake: UInt8
    var onset: UInt16

    static let erm = DefaultTiming(
        tapDull: 65_000, tapSharp: 12_000, rise: 50, brake: 100, onset: 600)
}

extension DefaultTiming {
    /// Creates the default values for an LRA from its resonance in hertz. Except for the onset, the
    /// values are multiples of the period, but a tap lasts at least 1 ms, and the brake time is at
    /// least 20 ms.
    init(resonance: Double) {
        precondition(resonance > 0, "an LRA needs a resonance")
        func cycles(_ count: Double, perSecond: Double) -> Int {
            Int((count / resonance * perSecond).rounded())
        }
        tapDull = UInt16(clamping: cycles(7, perSecond: 1e6))
        tapSharp = UInt16(clamping: max(1_000, cycles(1, perSecond: 1e6)))
        rise = UInt8(clamping: cycles(6, perSecond: 1e3))
        brake = UInt8(clamping: max(20, cycles(5, perSecond: 1e3)))
        onset = 750
    }
}
