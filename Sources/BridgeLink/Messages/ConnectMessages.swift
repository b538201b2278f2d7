// The messages of class CONNECT, which begin a session or report that a session was lost (SPEC
// 4.2).

import CBridgeProtocol

/// The message HELLO, which the host sends to propose a session (SPEC 3, 4.2).
public struct Hello: PayloadCoding {
    /// The protocol versions that the host supports, from the oldest to the newest.
    public var versions: ClosedRange<UInt8>
    /// The session id, never 0.
    public var session: UInt32
    /// The features of the host. No host feature is defined yet (SPEC 4.2).
    public var features: Features

    /// Creates a HELLO from its fields.
    public init(
        versions: ClosedRange<UInt8> = Hello.ownVersions, session: UInt32,
        features: Features = []
    ) {
        self.versions = versions
        self.session = session
        self.features = features
    }

    /// The versions that this host supports.
    public static let ownVersions =
        UInt8(BRIDGE_VERSION_MIN)...UInt8(BRIDGE_VERSION_MAX)

    static let size = Int(BRIDGE_HELLO_SIZE)

    init(from reader: inout PayloadReader) {
        let lowest: UInt8 = reader.integer()
        versions = lowest...max(lowest, reader.integer())
        session = reader.integer()
        features = Features(rawValue: reader.integer())
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(versions.lowerBound)
        writer.integer(versions.upperBound)
        writer.integer(session)
        writer.integer(features.rawValue)
    }
}

/// The message WELCOME, the device's answer to HELLO, in which the device describes itself (SPEC
/// 4.2).
public struct Welcome: PayloadCoding {
    /// The newest version that both sides support, or 0 if the device has rejected the session.
    public var version: UInt8
    /// The oldest version that the device supports.
    public var versionMin: UInt8
    /// The newest version that the device supports.
    public var versionMax: UInt8
    /// The session id of the HELLO.
    public var session: UInt32
    /// The features of the device.
    public var features: Features
    /// The id of the board, or 0 if no id has been assigned.
    public var boardID: UInt64
    /// The version of the firmware: major × 256 + minor.
    public var firmware: UInt16
    /// The number of actuators.
    public var actuators: UInt8
    /// The number of streams.
    public var streams: UInt8
    /// The event memory in bytes, shared by all streams.
    public var eventMemory: UInt16
    /// The maximum number of unread wire bytes in sequenced frames that the device can buffer (SPEC
    /// 4.4).
    public var linkWindow: UInt16
    /// The maximum length of a message body that the device accepts, in bytes.
    public var bodyMax: UInt8
    /// The reason for the last reset of the device.
    public var resetCause: ResetCause
    /// The number of boots since the device was powered on, including the latest boot, modulo
    /// 65,536.
    public var bootCount: UInt16
    /// The device time at which the last byte of HELLO arrived, in microseconds.
    public var clock: UInt32
    /// The kind of the board, or ``BoardKind/unknown`` if the device does not specify the kind.
    public var kind: BoardKind

    /// The number of bytes without the field that older devices omit.
    static let size = Int(BRIDGE_WELCOME_SIZE_MIN)

    init(from reader: inout PayloadReader) {
        version = reader.integer()
        versionMin = reader.integer()
        versionMax = reader.integer()
        session = reader.integer()
        features = Features(rawValue: reader.integer())
        boardID = reader.integer()
        firmware = reader.integer()
        actuators = reader.integer()
        streams = reader.integer()
        eventMemory = reader.integer()
        linkWindow = reader.integer()
        bodyMax = reader.integer()
        resetCause = reader.code()
        bootCount = reader.integer()
        clock = reader.integer()
        kind = BoardKind(rawValue: reader.integerIfThere())
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(version)
        writer.integer(versionMin)
        writer.integer(versionMax)
        writer.integer(session)
        writer.integer(features.rawValue)
        writer.integer(boardID)
        writer.integer(firmware)
        writer.integer(actuators)
        writer.integer(streams)
        writer.integer(eventMemory)
        writer.integer(linkWindow)
        writer.integer(bodyMax)
        writer.code(resetCause)
        writer.integer(bootCount)
        writer.integer(clock)
        writer.code(kind)
    }

    /// The first field that is outside its range (SPEC 4.2); nil if there is none.
    var violation: WelcomeViolation? {
        let fields: [(name: String, value: Int, range: ClosedRange<Int>)] = [
            ("actuators", Int(actuators), 1...ActuatorMask.countMax),
            ("streams", Int(streams), 1...ActuatorMask.countMax),
            ("event_memory", Int(eventMemory), Int(BRIDGE_STREAM_MEMORY_MIN)...Int(UInt16.max)),
            ("link_window", Int(linkWindow), Int(BRIDGE_FRAME_MAX)...Int(UInt16.max)),
            ("body_max", Int(bodyMax), Int(BRIDGE_BODY_MAX)...Int(UInt8.max)),
        ]
        return fields.first { !$0.range.contains($0.value) }.map {
            WelcomeViolation(field: $0.name, value: $0.value, range: $0.range)
        }
    }

    /// The firmware version in the usual form, for example "1.0".
    public var firmwareVersion: String { "\(firmware >> 8).\(firmware & 0xFF)" }
}

/// The message NO_SESSION, which reports that the device has no session and plays nothing (SPEC 3).
public struct NoSession: PayloadCoding {
    /// The reason for the last reset of the device.
    public var resetCause: ResetCause
    /// The number of boots since the device was powered on, including the latest boot, modulo
    /// 65,536.
    public var bootCount: UInt16
    /// The device time in microseconds.
    public var clock: UInt32

    /// Creates a NO_SESSION from its fields.
    public init(resetCause: ResetCause, bootCount: UInt16, clock: UInt32) {
        self.resetCause = resetCause
        self.bootCount = bootCount
        self.clock = clock
    }

    static let size = Int(BRIDGE_NO_SESSION_SIZE)

    init(from reader: inout PayloadReader) {
        resetCause = reader.code()
        bootCount = reader.integer()
        clock = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.code(resetCause)
        writer.integer(bootCount)
        writer.integer(clock)
    }
}
