// Frame: one message with its sequence byte, and its conversion to and from wire bytes (SPEC 2).

import CBridgeProtocol
import Checksum

/// A frame: the type, the sequence byte and the payload, without the CRC and without byte stuffing
/// (SPEC 2).
public struct Frame: Hashable, Sendable {
    /// The message type of the frame.
    public var type: MessageType
    /// The sequence byte of the frame: a sequence number, the tag of a query, or 0.
    public var sequence: UInt8
    /// The payload, which has at most `PAYLOAD_MAX` bytes.
    public var payload: [UInt8]

    /// The maximum number of bytes of a payload.
    package static let payloadMax = Int(BRIDGE_PAYLOAD_MAX)

    /// Creates a frame from its fields. The payload must not be longer than `PAYLOAD_MAX` bytes.
    public init(type: MessageType, sequence: UInt8 = 0, payload: [UInt8]) {
        precondition(payload.count <= Self.payloadMax, "payload of \(payload.count) bytes")
        self.type = type
        self.sequence = sequence
        self.payload = payload
    }

    /// Creates the frame of a message.
    public init(_ message: Message, sequence: UInt8 = 0) {
        self.init(type: message.type, sequence: sequence, payload: message.payload)
    }

    /// Creates the frame that a body contains. Returns nil if the length or the CRC of the body is
    /// wrong.
    ///
    /// - Parameter session: the session id. Frames of class CONNECT do not depend on the session id
    ///   (SPEC 2.1).
    public init?(body: [UInt8], session: UInt32) {
        let lengths = Int(BRIDGE_BODY_MIN)...Int(BRIDGE_BODY_MAX)
        guard lengths.contains(body.count) else { return nil }
        let type = MessageType(rawValue: body[0])
        var crc = CRC32C(session: type.isConnect ? 0 : session)
        crc.update(body)
        guard crc.isResidue else { return nil }
        let payload = body[Int(BRIDGE_HEADER_SIZE)..<(body.count - Int(BRIDGE_CRC_SIZE))]
        self.init(type: type, sequence: body[1], payload: Array(payload))
    }

    /// Returns the body of the frame: type, sequence byte, payload and CRC.
    public func body(session: UInt32) -> [UInt8] {
        var writer = PayloadWriter()
        writer.append([type.rawValue, sequence])
        writer.append(payload)
        let seed = type.isConnect ? 0 : session
        writer.integer(CRC32C.checksum(writer.bytes, session: seed))
        return writer.bytes
    }

    /// The number of bytes that the frame takes on the wire, including the delimiter. These bytes
    /// count toward the link credit (SPEC 4.4).
    public var wireSize: Int {
        let stuffingAndDelimiter = Int(BRIDGE_FRAME_MAX) - Int(BRIDGE_BODY_MAX)
        return payload.count + Int(BRIDGE_BODY_MIN) + stuffingAndDelimiter
    }
}
