// ActuatorConfiguration: the 56 bytes that describe an actuator to its device (SPEC 8).

import CBridgeProtocol

/// The configuration of an actuator, which CONFIGURE sends and GET_CONFIGURATION returns (SPEC 8).
public struct ActuatorConfiguration: Equatable, Sendable {
    /// The kind of the actuator: LRA, ERM or wide-band.
    public var kind: ActuatorKind
    /// The location of the actuator in the device. The device stores this field, but does not use
    /// it (SPEC 8).
    public var locality: Locality = .default
    /// The resonance in 0.1 Hz; 0 for an ERM; the lowest frequency of an actuator with a band.
    public var resonance: UInt16
    /// The rated voltage in millivolts; for an LRA, the rms voltage.
    public var rated: UInt16
    /// The peak overdrive voltage in millivolts.
    public var overdrive: UInt16
    /// The length of a tap with sharpness 0, in microseconds: 1,000 to 65,535.
    public var tapDull: UInt16
    /// The length of a tap with sharpness 255, in microseconds; at most `tapDull`.
    public var tapSharp: UInt16
    /// The time that the output takes to rise from rest to 90 % of the requested level, in
    /// milliseconds.
    public var rise: UInt8
    /// The time for which level 0 is held before the chip enters standby, in milliseconds: at least
    /// 10.
    public var brake: UInt8
    /// The time from a register write to the resulting output, in microseconds.
    public var onset: UInt16
    /// The curve that maps a level to a register value before the value is clamped and written
    /// (SPEC 8).
    public var curve: LevelCurve = .identity
    /// The maximum level that is written to the register, at least 1.
    public var levelMax: UInt8 = .max
    /// The register value that the actuator tolerates indefinitely; 255 if the actuator tolerates
    /// every value (SPEC 8, budget).
    public var sustained: UInt8 = .max
    /// The energy that the actuator tolerates in excess of `sustained`, in milliseconds at full
    /// level.
    public var budget: UInt16 = 0
    /// The result of the last calibration (SPEC 8).
    public var calibration: CalibrationResult = .none
    /// The registers 0x03 and 0x16 to 0x20 of the chip (SPEC 8).
    public var image: RegisterImage
    /// The name of the actuator. At most 12 bytes of its UTF-8 text are transmitted.
    public var name: String = ""
    /// The time constant of the amplitude of an LRA, or of the speed of an ERM, in 0.1 ms; 0 if
    /// unknown. The device stores this field and the following fields, but does not use them
    /// (SPEC 8, plant).
    public var timeConstant: UInt16 = 0
    /// The peak acceleration at the rated voltage, in thousandths of g; 0 if unknown.
    public var acceleration: UInt16 = 0
    /// The voltage at which an ERM at rest starts to turn, in millivolts; 0 for an LRA or if
    /// unknown. For an actuator with a band, part of ``band``.
    public var startVoltage: UInt16 = 0
    /// The voltage that overcomes the friction of a running ERM, in millivolts; 0 for an LRA or if
    /// unknown. For an actuator with a band, part of ``band``.
    public var runningVoltage: UInt16 = 0

    /// Creates a configuration that has no limits, no calibration and no description of the
    /// actuator's motion.
    package init(
        kind: ActuatorKind, locality: Locality, resonance: UInt16, rated: UInt16,
        overdrive: UInt16, tapDull: UInt16, tapSharp: UInt16, rise: UInt8, brake: UInt8,
        onset: UInt16, image: RegisterImage, name: String
    ) {
        self.kind = kind
        self.locality = locality
        self.resonance = resonance
        self.rated = rated
        self.overdrive = overdrive
        self.tapDull = tapDull
        self.tapSharp = tapSharp
        self.rise = rise
        self.brake = brake
        self.onset = onset
        self.image = image
        self.name = name
    }
}

extension ActuatorConfiguration {
    /// Returns the length of a tap with a sharpness of 0...255, in microseconds (SPEC 8).
    public func tapLength(sharpness: UInt8) -> Microseconds {
        let shorter = Microseconds(tapDull) - Microseconds(tapSharp)
        return Microseconds(tapDull) - (shorter * Microseconds(sharpness) * 257 + 32_768) / 65_536
    }
}

extension ActuatorConfiguration: PayloadCoding {
    /// The number of bytes without the fields that older devices omit.
    static let size = Int(BRIDGE_CONFIGURE_SIZE_MIN) - 1

    init(from reader: inout PayloadReader) {
        kind = reader.code()
        locality = reader.code()
        resonance = reader.integer()
        rated = reader.integer()
        overdrive = reader.integer()
        tapDull = reader.integer()
        tapSharp = reader.integer()
        rise = reader.integer()
        brake = reader.integer()
        onset = reader.integer()
        curve = LevelCurve(low: reader.integer(), mid: reader.integer(), high: reader.integer())
        levelMax = reader.integer()
        calibration = reader.code()
        image = RegisterImage(bytes: reader.read(Int(BRIDGE_IMAGE_SIZE)))
        sustained = reader.integer()
        budget = reader.integer()
        // Invalid UTF-8 bytes become replacement characters, which are longer than the bytes, so
        // the name must be shortened again.
        name = Self.shortened(
            String(decoding: reader.read(Int(BRIDGE_NAME_SIZE)).prefix { $0 != 0 }, as: UTF8.self))
        timeConstant = reader.integerIfThere()
        acceleration = reader.integerIfThere()
        startVoltage = reader.integerIfThere()
        runningVoltage = reader.integerIfThere()
    }

    func write(to writer: inout PayloadWriter) {
        writer.code(kind)
        writer.code(locality)
        writer.integer(resonance)
        writer.integer(rated)
        writer.integer(overdrive)
        writer.integer(tapDull)
        writer.integer(tapSharp)
        writer.integer(rise)
        writer.integer(brake)
        writer.integer(onset)
        writer.append([curve.low, curve.mid, curve.high])
        writer.integer(levelMax)
        writer.code(calibration)
        writer.append(image.bytes)
        writer.integer(sustained)
        writer.integer(budget)
        writer.append(paddedName)
        writer.integer(timeConstant)
        writer.integer(acceleration)
        writer.integer(startVoltage)
        writer.integer(runningVoltage)
    }

    /// Returns the longest prefix of a name that fits and consists of whole characters.
    private static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > Int(BRIDGE_NAME_SIZE) { name.removeLast() }
        return name
    }

    /// The name, shortened to whole characters and padded with zero bytes.
    private var paddedName: [UInt8] {
        let bytes = Array(Self.shortened(name).utf8)
        return bytes + [UInt8](repeating: 0, count: Int(BRIDGE_NAME_SIZE) - bytes.count)
    }
}
