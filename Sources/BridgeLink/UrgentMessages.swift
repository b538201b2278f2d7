// Class URGENT: carried out at reception, whatever the sequence (SPEC 4.3).

import CBridgeProtocol

/// STOP: every actuator to rest at once, and the end of every sequenced message before it.
public struct Stop: PayloadCoding {
    /// Tells a new request from a repeated one.
    public var id: UInt8
    /// The sequence that the host will use next.
    public var nextSequence: UInt8
    /// The host's running total of link bytes.
    public var linkTotal: UInt16

    public init(id: UInt8, nextSequence: UInt8, linkTotal: UInt16) {
        self.id = id
        self.nextSequence = nextSequence
        self.linkTotal = linkTotal
    }

    static let size = Int(BRIDGE_STOP_SIZE)

    init(from reader: inout PayloadReader) {
        id = reader.integer()
        nextSequence = reader.integer()
        linkTotal = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(id)
        writer.integer(nextSequence)
        writer.integer(linkTotal)
    }
}

/// MUTE: silences actuators, or ends that, without touching their streams.
public struct Mute: PayloadCoding {
    public var id: UInt8
    public var actuators: ActuatorMask
    public var isMuted: Bool

    public init(id: UInt8, actuators: ActuatorMask, isMuted: Bool) {
        self.id = id
        self.actuators = actuators
        self.isMuted = isMuted
    }

    static let size = Int(BRIDGE_MUTE_SIZE)

    init(from reader: inout PayloadReader) {
        id = reader.integer()
        actuators = ActuatorMask(rawValue: reader.integer())
        isMuted = reader.integer(UInt8.self) != 0
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(id)
        writer.integer(actuators.rawValue)
        writer.integer(UInt8(isMuted ? 1 : 0))
    }
}

/// STOPPED and MUTED: the id of the request that was carried out.
struct UrgentAnswer: PayloadCoding {
    var id: UInt8

    static let size = Int(BRIDGE_STOPPED_SIZE)

    init(id: UInt8) { self.id = id }
    init(from reader: inout PayloadReader) { id = reader.integer() }
    func write(to writer: inout PayloadWriter) { writer.integer(id) }
}
