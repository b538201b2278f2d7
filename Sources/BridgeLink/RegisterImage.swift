// RegisterImage: the chip's set-up registers, computed from an actuator's data sheet (SPEC 8).
//
// Field positions and codes: datasheet SLOS854D pages 46 to 53; the level format: pages 30 to 32.

import CBridgeProtocol

/// Registers 0x03 and 0x16 to 0x20, in this order (SPEC 8).
public struct RegisterImage: Hashable, Sendable {
    /// `IMAGE_SIZE` bytes as they travel.
    public private(set) var bytes: [UInt8]

    /// - Parameter bytes: exactly `IMAGE_SIZE` bytes.
    public init(bytes: [UInt8]) {
        precondition(
            bytes.count == Int(BRIDGE_IMAGE_SIZE), "an image has \(BRIDGE_IMAGE_SIZE) bytes")
        self.bytes = bytes
    }

    /// The value of the register at `address`: 0x03, or 0x16 to 0x20.
    public subscript(address: UInt8) -> UInt8 {
        get { bytes[Self.index(of: address)] }
        set { bytes[Self.index(of: address)] = newValue }
    }

    private static func index(of address: UInt8) -> Int {
        precondition(
            address == 0x03 || 0x16...0x20 ~= address, "register \(address) is not in the image")
        return address == 0x03 ? 0 : Int(address) - 0x15
    }
}

/// The choices of the closed loop that are not voltages (register 0x1A).
///
/// The defaults are the ones that suit most actuators; calibration refines the rest.
public struct LoopTuning: Hashable, Sendable {
    /// 0 to 7: braking 1, 2, 3, 4, 6, 8, 16 times as strong as driving, or none.
    public var brakeFactor: UInt8 = 2
    /// 0 to 3: low to very high.
    public var loopGain: UInt8 = 1
    /// 0 to 3: the amplifier of the back-EMF; calibration overwrites it.
    public var backEMFGain: UInt8 = 2

    public init() {}
}

/// Whether the chip measures how the actuator moves.
public enum DriveLoop: Hashable, Sendable {
    /// It does: it finds resonance, overdrives and brakes. Levels are unidirectional and unsigned.
    case closed
    /// It does not: for actuators whose back-EMF is too weak. Levels are bidirectional and signed.
    case open
}

extension RegisterImage {
    /// The image for an actuator: level 0 brakes in a closed loop, level 255 is rated.
    ///
    /// Bit 0 of 0x1E, which would burn the chip's one-time memory, is never set.
    /// - Parameters:
    ///   - resonance: hertz; not used for an ERM.
    ///   - rated: millivolts; rms for an LRA, average for an ERM.
    ///   - overdrive: millivolts, peak.
    public init(
        kind: ActuatorKind, resonance: Double, rated: Double, overdrive: Double,
        chip: HapticChip, tuning: LoopTuning = LoopTuning(), loop: DriveLoop = .closed
    ) {
        let formulas = ChipFormulas(chip: chip, kind: kind, resonance: resonance)
        let isLRA = kind == .lra
        self.init(bytes: [UInt8](repeating: 0, count: Int(BRIDGE_IMAGE_SIZE)))
        self[0x03] = 0  // LIBRARY: none, no ROM effect is played
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
        self[0x1F] = chip == .drv2605L ? 2 << 6 : 0  // AUTO_OL_CNT 5; no such register before L
        self[0x20] = chip == .drv2605L ? formulas.openLoopPeriod : 0
        guard loop == .open else { return }
        // In an open loop the clamp is the full scale.
        self[0x17] =
            isLRA
            ? formulas.openLoopScale(rms: rated) : formulas.openLoopScale(average: overdrive)
        self[0x1C] |= 1 << 7  // BIDIR_INPUT
        self[0x1D] = 2 << 6 | (isLRA ? 1 << 0 : 1 << 5)  // NG_THRESH 4 %, open loop, signed
    }
}
