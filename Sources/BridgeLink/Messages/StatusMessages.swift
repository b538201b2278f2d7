// STATUS and ACTUATOR: the state of the device and of its actuators (SPEC 4.5).

import CBridgeProtocol

/// The message STATUS (A1), which contains the faults and counters of the whole device. Each
/// counter wraps around at the width of its field.
public struct Status: PayloadCoding, Hashable {
    /// The state of the device: muted, awake, driving, slow bus.
    public var state: DeviceState
    /// The number of faults since boot, modulo 256. A host includes this number in CLEAR_FAULTS, so
    /// that a fault that has occurred in the meantime is not cleared.
    public var faultTotal: UInt8
    /// The latched faults.
    public var faults: Faults
    /// The number of damaged frames that the device has received.
    public var damagedFrames: UInt16
    /// The number of late events: writes that were later than `LATE_US`, and levels that were
    /// merged because their writes would have been later than `LATE_US`.
    public var lateEvents: UInt16
    /// The maximum lateness of a write, in microseconds.
    public var latest: UInt32
    /// The number of taps that were skipped because they were late.
    public var skippedTaps: UInt16
    /// The number of times a stream ran out of events.
    public var underruns: UInt16
    /// The number of times the dead-man timeout elapsed.
    public var deadManTrips: UInt16
    /// The number of failed transfers on the bus.
    public var busErrors: UInt16
    /// The number of unexpected resets of chips that were detected.
    public var chipResets: UInt16
    /// The sequence byte of the latest REJECT.
    public var rejectSequence: UInt8
    /// The type of the message that the latest REJECT rejected.
    public var rejectType: MessageType
    /// The code of the latest REJECT.
    public var rejectCode: RejectCode
    /// The number of REJECTs in the session, modulo 256.
    public var rejects: UInt8
    /// The gain of the first actuator; 255 leaves levels unchanged.
    public var gain: UInt8
    /// The device time at which the answer was created, in microseconds. The device time is not the
    /// time since boot: the clock starts at `CLOCK_AT_BOOT` and wraps after 72 minutes (SPEC 5).
    public var clock: UInt32
    /// The number of bytes that arrived while the device's receive buffer was full, modulo 65,536;
    /// 0 if the device does not count such bytes.
    public var lostBytes: UInt16

    /// The number of bytes without the fields that older devices omit.
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

/// The message ACTUATOR (A3), which contains the properties and the state of an actuator (SPEC 8).
public struct ActuatorStatus: PayloadCoding {
    /// The number of the actuator.
    public var actuator: UInt8
    /// The state of the actuator.
    public var state: ActuatorState
    /// The DEVICE_ID of the actuator's chip.
    public var chipID: UInt8
    /// The kind of the actuator.
    public var kind: ActuatorKind
    /// The result of the last calibration. The result is stored in the low nibble of a byte, and
    /// `diagnosis` in the high nibble.
    public var calibration: CalibrationResult
    /// The result of the last diagnosis since boot. In a diagnosis, the chip checks whether its
    /// actuator is connected and works.
    public var diagnosis: CalibrationResult
    /// The location of the actuator in the device.
    public var locality: Locality
    /// The resonance in 0.1 Hz.
    public var resonance: UInt16
    /// The rated voltage in millivolts.
    public var rated: UInt16
    /// The overdrive voltage in millivolts.
    public var overdrive: UInt16
    /// The number of significant bits in a level: 7 or 8.
    public var levelBits: UInt8
    /// The minimum time between two level changes that both take effect, in microseconds.
    public var minimumUpdate: UInt16
    /// The lowest supported frequency, in 0.1 Hz.
    public var frequencyMin: UInt16
    /// The highest supported frequency, in 0.1 Hz.
    public var frequencyMax: UInt16
    /// The time from a register write to the resulting output, in microseconds.
    public var onset: UInt16
    /// The rise time in milliseconds.
    public var rise: UInt16
    /// The brake time in milliseconds.
    public var brake: UInt16
    /// The length of a tap with sharpness 0, in microseconds.
    public var tapDull: UInt16
    /// The length of a tap with sharpness 255, in microseconds.
    public var tapSharp: UInt16
    /// The supply voltage in millivolts, as last measured; 0 if unknown.
    public var supply: UInt16
    /// True if the board rejects configurations that exceed the locked limits of the actuator (SPEC
    /// 4.4, LOCK). False if the device does not support locks.
    public var isLocked: Bool
    /// The period of the resonance in steps of 98.46 µs, as last measured; 0 if unknown. The value
    /// is exact only after a level has been held for 0.1 s, and is meaningless in open loop.
    public var lraPeriod: UInt8

    /// The measured resonance in hertz; nil if the resonance is unknown. The resolution of the
    /// value is 1.7 % at 170 Hz.
    public var measuredResonance: Double? {
        lraPeriod == 0 ? nil : 1_000_000 / (98.46 * Double(lraPeriod))
    }

    /// The number of bytes without the fields that older devices omit.
    static let size = Int(BRIDGE_ACTUATOR_SIZE) - 2

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
        lraPeriod = reader.integerIfThere()
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
        writer.integer(lraPeriod)
    }
}
