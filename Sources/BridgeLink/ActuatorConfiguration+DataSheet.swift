// From an actuator's data sheet to its configuration, with defaults for what sheets leave out.

import CBridgeProtocol

extension ActuatorConfiguration {
    /// A configuration for an actuator known by its data sheet.
    ///
    /// What no data sheet says gets a default that can be changed afterwards:
    /// - an LRA taps for 1 cycle of its resonance at sharpness 255 and 4 cycles at 0, rises in 6
    ///   cycles (a quality of 10 with overdrive) and brakes for 5, at least 20 ms;
    /// - an ERM taps for 25 and 60 ms, rises in 50 ms and brakes for 100 ms;
    /// - onset is the chip's: 750 µs for an LRA, 600 µs for an ERM (SLOS854D page 10).
    ///
    /// - Parameters:
    ///   - resonance: hertz, 125 to 300 for an LRA (SLOS854D page 6); ignored for an ERM.
    ///   - rated: millivolts, at most `RATED_MV_MAX`; rms for an LRA, average for an ERM.
    ///   - overdrive: millivolts, peak, at most `OVERDRIVE_MV_MAX`.
    public init(
        kind: ActuatorKind, resonance: Double = 0, rated: UInt16, overdrive: UInt16,
        chip: HapticChip, locality: Locality = .default, name: String = "",
        tuning: LoopTuning = LoopTuning(), loop: DriveLoop = .closed
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
        if loop == .open {
            levelMax = ChipFormulas(chip: chip, kind: kind, resonance: resonance)
                .openLoopLevelMax(scale: image[0x17], rated: Double(rated))
        }
    }
}

extension ActuatorConfiguration {
    /// VG1040003D, a 10 mm coin of 170 Hz and 2.5 V rms: what boards without hardware drive.
    public static let coinLRA = ActuatorConfiguration(
        kind: .lra, resonance: 170, rated: 2500, overdrive: 3540, chip: .drv2605L,
        name: "LRA 170 Hz")

    /// B1034.FL45-00-015, a 10 mm coin ERM of 3 V.
    public static let coinERM = ActuatorConfiguration(
        kind: .erm, rated: 3000, overdrive: 3600, chip: .drv2605L, name: "ERM 3 V")
}

/// The defaults for times that data sheets leave out. Taps and onset in µs, the rest in ms.
private struct DefaultTiming {
    var tapDull: UInt16
    var tapSharp: UInt16
    var rise: UInt8
    var brake: UInt8
    var onset: UInt16

    static let erm = DefaultTiming(
        tapDull: 60_000, tapSharp: 25_000, rise: 50, brake: 100, onset: 600)
}

extension DefaultTiming {
    /// An LRA's: in cycles of its resonance, in hertz.
    init(resonance: Double) {
        precondition(resonance > 0, "an LRA has a resonance")
        func cycles(_ count: Double, perSecond: Double) -> Int {
            Int((count / resonance * perSecond).rounded())
        }
        tapDull = UInt16(clamping: cycles(4, perSecond: 1e6))
        tapSharp = UInt16(clamping: max(1_000, cycles(1, perSecond: 1e6)))
        rise = UInt8(clamping: cycles(6, perSecond: 1e3))
        brake = UInt8(clamping: max(20, cycles(5, perSecond: 1e3)))
        onset = 750
    }
}
