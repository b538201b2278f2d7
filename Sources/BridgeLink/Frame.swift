// Frame: one message with its sequence byte, and its way to the wire and back (SPEC 2).

import CBridgeProtocol

/// One frame: type, sequence and payload, without CRC and stuffing (SPEC 2).
public struct Frame: Hashable, Sendable {
    public var type: MessageType
    /// Its place in the sequence, a query's tag, or 0.
    public var sequence: UInt8
    /// At most `PAYLOAD_MAX` bytes.
    public var payload: [UInt8]

    public init(type: MessageType, sequence: UInt8 = 0, payload: [UInt8]) {
        precondition(payload.count <= Int(BRIDGE_PAYLOAD_MAX), "payload of \(payload.count) bytes")
        self.type = type
        self.sequence = sequence
        self.payload = payload
    }

    public init(_ message: Message, sequence: UInt8 = 0) {
        self.init(type: message.type, sequence: sequence, payload: message.payload)
    }

    /// The frame in a body, or nil if its length or its CRC is wrong.
    ///
    /// - Parameter session: the session of all classes but CONNECT (SPEC 2.1).
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

    /// Type, sequence, payload and CRC.
    public func body(session: UInt32) -> [UInt8] {
        var writer = PayloadWriter()
        writer.append([type.rawValue, sequence])
        writer.append(payload)
        let seed = type.isConnect ? 0 : session
        writer.integer(CRC32C.checksum(writer.bytes, session: seed))
        return writer.bytes
    }

    /// Bytes on the wire, delimiter included: what counts against the link credit (SPEC 4.4).
    public var wireSize: Int {
        let stuffingAndDelimiter = Int(BRIDGE_FRAME_MAX) - Int(BRIDGE_BODY_MAX)
        return payload.count + Int(BRIDGE_BODY_MIN) + stuffingAndDelimiter
    }
}

/// Writes frames of one session as they go over the wire.
public struct FrameEncoder: Sendable {
    public let session: UInt32

    public init(session: UInt32) {
        self.session = session
    }

    /// The stuffed body and its delimiter, at most `FRAME_MAX` bytes.
    public func encode(_ frame: Frame) -> [UInt8] {
        COBS.encode(frame.body(session: session)) + [UInt8(BRIDGE_DELIMITER)]
    }
}
