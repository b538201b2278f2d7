// The set-up values of a chip's registers, calculated from an actuator's data sheet (SPEC 8).
//
// The data sheet SLOS854D describes the positions and codes of the fields on pages 46 to 53, and
// the format of levels on pages 30 to 32.

import BridgeLink
import CBridgeProtocol

extension RegisterImage {
    /// Creates the image for an actuator. In closed loop, level 0 brakes, and level 255 drives the
    /// actuator at its rated voltage.
    ///
    /// Bit 0 of register 0x1E, which would program the chip's one-time programmable memory, is
    /// never set.
    /// - Parameters:
    ///   - resonance: the resonance in hertz; ignored for an ERM.
    ///   - rated: the rated voltage in millivolts: the rms voltage of an LRA, or the average
    ///     voltage of an ERM.
    ///   - overdrive: the peak overdrive voltage in millivolts.
    public init(
        kind: ActuatorKind, resonance: Double, rated: Double, overdrive: Double,
        chip: HapticChip, tuning: LoopTuning = LoopTuning(), loop: DriveLoop = .closed
    ) {
        let formulas = ChipFormulas(chip: chip, kind: kind, resonance: resonance)
        let isLRA = kind != .erm
        self.init(bytes: [UInt8](repeating: 0, count: Int(BRIDGE_IMAGE_SIZE)))
        self[0x03] = 0  // LIBRARY: none, because no ROM effect is played
        self[0x16] = formulas.ratedVoltage(millivolts: rated)
        self[0x17] = formulas.overdriveClamp(millivolts: overdrive)
        self[0x18] = chip == .drv2605L ? 0x0C : 0x0D  // A_CAL_COMP: reset value
        self[0x19] = chip == .drv2605L ? 0x6C : 0x6D  // A_CAL_BEMF: reset value
        self[0x1A] =
            (isLRA ? 1 << 7 : 0) | (tuning.brakeFactor & 7) << 4
            | (tuning.loopGain & 3) << 2 | tuning.backEMFGain & 3
        self[0x1B] = 1 << 7 | formulas.driveTime  // STARTUP_BOOST
        self[0x1C] = 1 << 6 | 3 << 4 | 1 << 2 | 1  // BRAKE_STABILIZER, SAMPLE, BLANKING, IDISS
        self[0x1D] = 2 << 6 | 1 << 3  // NG_THRESH 4 %, DATA_FORMAT_RTP unsigned, closed loop
        self[0x1E] = 3 << 4  // AUTO_CAL_TIME 1000 ms
        self[0x1F] = chip == .drv2605L ? 2 << 6 : 0  // AUTO_OL_CNT 5; DRV2605L only
        self[0x20] = chip == .drv2605L ? formulas.openLoopPeriod : 0
        guard loop == .open else { return }
        // In open loop, the clamp voltage is the full scale.
        self[0x17] = min(self[0x17], formulas.openLoopScale(millivolts: rated))
        self[0x20] = formulas.openLoopPeriod
        self[0x1C] |= 1 << 7  // BIDIR_INPUT
        self[0x1D] = 2 << 6 | (isLRA ? 1 << 0 : 1 << 5)  // NG_THRESH 4 %, open loop, signed
    }
}
