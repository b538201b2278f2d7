// What a device answers to sequenced messages: ACK and REJECT (SPEC 4.4).

import CBridgeProtocol

/// ACK: what was carried out, and how much more may come. Everything in it is a running total.
public struct Acknowledge: PayloadCoding {
    /// The event bytes of one generation of a stream that may be sent, as a running total.
    public struct Credit: Hashable, Sendable {
        public var stream: UInt8
        public var generation: UInt8
        public var eventLimit: UInt16

        public init(stream: UInt8, generation: UInt8, eventLimit: UInt16) {
            self.stream = stream
            self.generation = generation
            self.eventLimit = eventLimit
        }
    }

    /// The sequence that the device carries out next.
    public var nextSequence: UInt8
    /// The device misses a frame: resend from `nextSequence`.
    public var asksToResend: Bool
    /// How far the running total of link bytes may go.
    public var linkLimit: UInt16
    /// REJECTs of the session, modulo 256.
    public var rejects: UInt8
    public var credits: [Credit]

    public init(
        nextSequence: UInt8, asksToResend: Bool = false, linkLimit: UInt16,
        rejects: UInt8 = 0, credits: [Credit] = []
    ) {
        self.nextSequence = nextSequence
        self.asksToResend = asksToResend
        self.linkLimit = linkLimit
        self.rejects = rejects
        self.credits = credits
    }

    static let size = Int(BRIDGE_ACK_SIZE)

    init(from reader: inout PayloadReader) {
        nextSequence = reader.integer()
        asksToResend = reader.integer(UInt8.self) & UInt8(BRIDGE_ACK_FLAG_RESEND) != 0
        linkLimit = reader.integer()
        rejects = reader.integer()
        credits = []
        while reader.remaining >= Int(BRIDGE_CREDIT_SIZE) {
            credits.append(
                Credit(
                    stream: reader.integer(), generation: reader.integer(),
                    eventLimit: reader.integer()))
        }
    }

    func write(to writer: inout PayloadWriter) {
        writer.integer(nextSequence)
        writer.integer(asksToResend ? UInt8(BRIDGE_ACK_FLAG_RESEND) : 0)
        writer.integer(linkLimit)
        writer.integer(rejects)
        for credit in credits {
            writer.integer(credit.stream)
            writer.integer(credit.generation)
            writer.integer(credit.eventLimit)
        }
    }
}

/// REJECT: why a message was not carried out. The frame's sequence byte is that of the message.
public struct Reject: PayloadCoding, Hashable {
    /// The type of the rejected message.
    public var type: MessageType
    public var code: RejectCode
    /// The payload byte at fault.
    public var offset: UInt8
    /// The nearest legal value, or 0.
    public var limit: UInt32

    public init(type: MessageType, code: RejectCode, offset: UInt8 = 0, limit: UInt32 = 0) {
        self.type = type
        self.code = code
        self.offset = offset
        self.limit = limit
    }

    static let size = Int(BRIDGE_REJECT_SIZE)

    init(from reader: inout PayloadReader) {
        type = reader.code()
        code = reader.code()
        offset = reader.integer()
        limit = reader.integer()
    }

    func write(to writer: inout PayloadWriter) {
        writer.code(type)
        writer.code(code)
        writer.integer(offset)
        writer.integer(limit)
    }
}

extension Reject: CustomStringConvertible {
    /// For example "START rejected: time too far from now (payload byte 3, nearest 0)".
    public var description: String {
        let place = offset == 0 && limit == 0 ? "" : " (payload byte \(offset), nearest \(limit))"
        return "\(type) rejected: \(code)\(place)"
    }
}
