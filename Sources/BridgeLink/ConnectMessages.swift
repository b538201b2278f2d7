// Class CONNECT: how a session begins and how its loss is told (SPEC 4.2).

import CBridgeProtocol

/// HELLO: the host offers a session (SPEC 3, 4.2).
public struct Hello: PayloadCoding {
    public var versions: ClosedRange<UInt8>
    /// The session id, never 0.
    public var session: UInt32
    public var features: Features

    public init(
        versions: ClosedRange<UInt8> = Hello.ownVersions, session: UInt32,
        features: Features = []
    ) {
        self.versions = versions
        self.session = session
        self.features = features
    }

    /// The versions that this host speaks.
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

/// WELCOME: the device's answer to HELLO, and what it is (SPEC 4.2).
public struct Welcome: PayloadCoding {
    /// The version in common, or 0: refused.
    public var version: UInt8
    public var versionMin: UInt8
    public var versionMax: UInt8
    public var session: UInt32
    public var features: Features
    /// 0 if the board was given none yet.
    public var boardID: UInt64
    /// Major × 256 + minor.
    public var firmware: UInt16
    public var actuators: UInt8
    public var streams: UInt8
    /// Bytes of event memory, all streams together.
    public var eventMemory: UInt16
    /// Wire bytes of sequenced frames that may be under way.
    public var linkWindow: UInt16
    /// The longest body that the device takes, in bytes.
    public var bodyMax: UInt8
    public var resetCause: ResetCause
    public var bootCount: UInt16
    /// Device microseconds at HELLO's last byte.
    public var clock: UInt32

    static let size = Int(BRIDGE_WELCOME_SIZE)

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
    }

    /// The firmware's version as people write it, for example "1.0".
    public var firmwareVersion: String { "\(firmware >> 8).\(firmware & 0xFF)" }
}

/// NO_SESSION: the device knows no session; nothing that was sent is playing (SPEC 3).
public struct NoSession: PayloadCoding {
    public var resetCause: ResetCause
    public var bootCount: UInt16
    /// Device microseconds.
    public var clock: UInt32

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
