// ActuatorConfiguration: the 48 bytes that tell a device what actuator it drives (SPEC 8).

import CBridgeProtocol

/// What CONFIGURE sends and GET_CONFIGURATION returns (SPEC 8).
public struct ActuatorConfiguration: Equatable, Sendable {
    public var kind: ActuatorKind
    public var locality: Locality = .default
    /// 0.1 Hz; 0 for an ERM.
    public var resonance: UInt16
    /// Millivolts; rms for an LRA.
    public var rated: UInt16
    /// Millivolts, peak.
    public var overdrive: UInt16
    /// Microseconds a tap of sharpness 0 lasts, 1,000 to 250,000 µs as far as 16 bits reach.
    public var tapDull: UInt16
    /// Microseconds a tap of sharpness 255 lasts; not longer than `tapDull`.
    public var tapSharp: UInt16
    /// Milliseconds from rest to 90 % of the level.
    public var rise: UInt8
    /// Milliseconds that level 0 is held before standby, at least 10.
    public var brake: UInt8
    /// Microseconds from register write to output.
    public var onset: UInt16
    public var curve: LevelCurve = .identity
    /// The highest level that reaches the register, at least 1.
    public var levelMax: UInt8 = .max
    /// The register value that it stands without end; 255: every value (SPEC 8, budget).
    public var sustained: UInt8 = .max
    /// Milliseconds of full level that it stands beyond it.
    public var budget: UInt16 = 0
    public var calibration: CalibrationResult = .none
    public var image: RegisterImage
    /// At most 12 bytes of UTF-8 travel.
    public var name: String = ""
}

extension ActuatorConfiguration {
    /// Microseconds that a tap of a sharpness of 0...255 lasts (SPEC 8).
    public func tapLength(sharpness: UInt8) -> Microseconds {
        let shorter = Microseconds(tapDull) - Microseconds(tapSharp)
        return Microseconds(tapDull) - (shorter * Microseconds(sharpness) * 257 + 32_768) / 65_536
    }
}

/// What a level becomes before it is clamped: linear from `low` by `mid` at 128 to `high` (SPEC 8).
public struct LevelCurve: Hashable, Sendable {
    public var low: UInt8
    public var mid: UInt8
    public var high: UInt8

    public init(low: UInt8, mid: UInt8, high: UInt8) {
        self.low = low
        self.mid = mid
        self.high = high
    }

    public static let identity = LevelCurve(low: 0, mid: 128, high: 255)
}

extension ActuatorConfiguration: PayloadCoding {
    static let size = Int(BRIDGE_CONFIGURE_SIZE) - 1

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
        image = RegisterImage(bytes: reader.take(Int(BRIDGE_IMAGE_SIZE)))
        sustained = reader.integer()
        budget = reader.integer()
        // What is not UTF-8 there takes more room as a character than it did as a byte.
        name = Self.shortened(
            String(decoding: reader.take(Int(BRIDGE_NAME_SIZE)).prefix { $0 != 0 }, as: UTF8.self))
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
    }

    /// As many whole characters of a name as there is room for.
    private static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > Int(BRIDGE_NAME_SIZE) { name.removeLast() }
        return name
    }

    /// The name in whole characters, padded with zeros.
    private var paddedName: [UInt8] {
        let bytes = Array(Self.shortened(name).utf8)
        return bytes + [UInt8](repeating: 0, count: Int(BRIDGE_NAME_SIZE) - bytes.count)
    }
}
