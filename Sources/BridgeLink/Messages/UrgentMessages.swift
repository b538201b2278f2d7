// The messages of class URGENT, which the device carries out as soon as they arrive, regardless of
// the sequence (SPEC 4.3).

import CBridgeProtocol

/// The message STOP, which immediately brings all actuators to rest and cancels all sequenced
/// messages that precede it.
public struct Stop: PayloadCoding {
    /// The id of the request, which distinguishes a new request from a repeated request.
    public var id: UInt8
    /// The sequence number of the next sequenced message that the host will send.
    public var nextSequence: UInt8
    /// The total size of the sequenced frames that the host has sent in the session, in bytes on
    /// the wire, modulo 65,536 (SPEC 4.4).
    public var linkTotal: UInt16

    /// Creates a STOP from its fields.
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

/// The message MUTE, which mutes or unmutes actuators without affecting their streams.
public struct Mute: PayloadCoding {
    public var id: UInt8
    /// The actuators to mute or unmute.
    public var actuators: ActuatorMask
    /// True to mute the actuators, false to unmute them.
    public var isMuted: Bool

    /// Creates a MUTE from its fields.
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

/// The payload of STOPPED and MUTED: the id of the request that was carried out.
struct UrgentAnswer: PayloadCoding {
    var id: UInt8

    static let size = Int(BRIDGE_STOPPED_SIZE)

    init(id: UInt8) { self.id = id }
    init(from reader: inout PayloadReader) { id = reader.integer() }
    func write(to writer: inout PayloadWriter) { writer.integer(id) }
}
