// STATUS and ACTUATOR: how the device and its actuators are (SPEC 4.5).

import CBridgeProtocol

/// A1 STATUS: faults and counters of the whole device. Counters are modulo their width.
public struct Status: PayloadCoding {
    public var state: DeviceState
    /// Counts faults; CLEAR_FAULTS names it.
    public var faultTotal: UInt8
    public var faults: Faults
    public var damagedFrames: UInt16
    /// Writes later than `LATE_US`.
    public var lateEvents: UInt16
    /// The greatest lateness of a write, in microseconds.
    public var latest: UInt32
    public var skippedTaps: UInt16
    public var underruns: UInt16
    public var deadManTrips: UInt16
    public var busErrors: UInt16
    public var chipResets: UInt16
    /// The sequence of the last rejected message.
    public var rejectSequence: UInt8
    public var rejectType: MessageType
    public var rejectCode: RejectCode
    /// REJECTs of the session, modulo 256.
    public var rejects: UInt8
    /// Of the first actuator; 255 is unchanged.
    public var gain: UInt8
    /// Device microseconds.
    public var clock: UInt32
    /// Bytes that arrived while the device's receive buffer was full, modulo 65,536; 0 of a device
    /// that does not count them.
    public var lostBytes: UInt16

    /// Without what older devices do not send.
    static let size = Int(BRIDGE_STATUS_SIZE) - 2

    init(from reader: inout PayloadReader) {
        state = DeviceState(rawValue: reader.integer())
        faultTotal = reader.integer()
        faults = Faults(rawValue: reader.integer())
        damagedFrames = reader.integer()
        lateEvents = reader.integer()
        latest = reader.integer()
        skippedTaps = reader.integer()
        underruns = reader.integer()
        deadManTrips = reader.integer()
        busErrors = reader.integer()
        chipResets = reader.integer()
        rejectSequence = reader.integer()
        rejectType = reader.code()
        rejectCode = reader.code()
        rejects = reader.integer()
        gain = reader.integer()
        clock = reader.integer()
        lostBytes = reader.integerIfThere()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(state.rawValue)
        writer.integer(faultTotal)
        writer.integer(faults.rawValue)
        writer.integer(damagedFrames)
        writer.integer(lateEvents)
        writer.integer(latest)
        writer.integer(skippedTaps)
        writer.integer(underruns)
        writer.integer(deadManTrips)
        writer.integer(busErrors)
        writer.integer(chipResets)
        writer.integer(rejectSequence)
        writer.code(rejectType)
        writer.code(rejectCode)
        writer.integer(rejects)
        writer.integer(gain)
        writer.integer(clock)
        writer.integer(lostBytes)
    }
}

/// A3 ACTUATOR: what an actuator is and where it is (SPEC 8).
public struct ActuatorStatus: PayloadCoding {
    public var actuator: UInt8
    public var state: ActuatorState
    /// DEVICE_ID of its chip.
    public var chipID: UInt8
    public var kind: ActuatorKind
    /// The low nibble; the high one is `diagnosis`.
    public var calibration: CalibrationResult
    /// Whether the chip found its actuator in order when it was asked last since the start.
    public var diagnosis: CalibrationResult
    public var locality: Locality
    /// 0.1 Hz.
    public var resonance: UInt16
    /// Millivolts.
    public var rated: UInt16
    /// Millivolts.
    public var overdrive: UInt16
    public var levelBits: UInt8
    /// The shortest time between two levels that makes sense, in microseconds.
    public var minimumUpdate: UInt16
    /// 0.1 Hz.
    public var frequencyMin: UInt16
    /// 0.1 Hz.
    public var frequencyMax: UInt16
    /// Microseconds from register write to output.
    public var onset: UInt16
    /// Milliseconds.
    public var rise: UInt16
    /// Milliseconds.
    public var brake: UInt16
    /// Microseconds.
    public var tapDull: UInt16
    /// Microseconds.
    public var tapSharp: UInt16
    /// Millivolts; 0: not known.
    public var supply: UInt16
    /// Whether the board refuses configurations beyond limits that it keeps (SPEC 4.4, LOCK); false
    /// of a device that has no locks.
    public var isLocked: Bool

    /// Without what older devices do not send.
    static let size = Int(BRIDGE_ACTUATOR_SIZE) - 1

    init(from reader: inout PayloadReader) {
        actuator = reader.integer()
        state = reader.code()
        chipID = reader.integer()
        kind = reader.code()
        let results: UInt8 = reader.integer()
        calibration = CalibrationResult(rawValue: results & 0x0F)
        diagnosis = CalibrationResult(rawValue: results >> 4)
        locality = reader.code()
        resonance = reader.integer()
        rated = reader.integer()
        overdrive = reader.integer()
        levelBits = reader.integer()
        minimumUpdate = reader.integer()
        frequencyMin = reader.integer()
        frequencyMax = reader.integer()
        onset = reader.integer()
        rise = reader.integer()
        brake = reader.integer()
        tapDull = reader.integer()
        tapSharp = reader.integer()
        supply = reader.integer()
        isLocked = reader.integerIfThere(UInt8.self) != 0
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(actuator)
        writer.code(state)
        writer.integer(chipID)
        writer.code(kind)
        writer.integer(diagnosis.rawValue << 4 | calibration.rawValue)
        writer.code(locality)
        writer.integer(resonance)
        writer.integer(rated)
        writer.integer(overdrive)
        writer.integer(levelBits)
        writer.integer(minimumUpdate)
        writer.integer(frequencyMin)
        writer.integer(frequencyMax)
        writer.integer(onset)
        writer.integer(rise)
        writer.integer(brake)
        writer.integer(tapDull)
        writer.integer(tapSharp)
        writer.integer(supply)
        writer.integer(UInt8(isLocked ? 1 : 0))
    }
}
