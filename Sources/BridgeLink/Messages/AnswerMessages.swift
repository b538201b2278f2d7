// The answers from a device to sequenced messages: ACK and REJECT (SPEC 4.4).

import CBridgeProtocol

/// The message ACK, which reports the number of messages that the device has carried out and the
/// number of bytes that the host may send. The numbers in an ACK are running totals.
public struct Acknowledge: PayloadCoding {
    /// The running total of event bytes that the host may send in one generation of one stream.
    public struct Credit: Hashable, Sendable {
        /// The number of the stream.
        public var stream: UInt8
        /// The current generation of the stream.
        public var generation: UInt8
        /// The running total of event bytes that the host may send in this generation, modulo
        /// 65,536.
        public var eventLimit: UInt16

        /// Creates the credit of one generation of a stream.
        public init(stream: UInt8, generation: UInt8, eventLimit: UInt16) {
            self.stream = stream
            self.generation = generation
            self.eventLimit = eventLimit
        }
    }

    /// The sequence number of the message that the device will carry out next.
    public var nextSequence: UInt8
    /// True if the device has missed a frame, and the host must resend all frames from
    /// `nextSequence` on.
    public var asksToResend: Bool
    /// The total size of sequenced frames up to which the host may send, in bytes on the wire,
    /// modulo 65,536 (SPEC 4.4).
    public var linkLimit: UInt16
    /// The number of REJECTs in the session, modulo 256.
    public var rejects: UInt8
    /// The event credits of the open streams.
    public var credits: [Credit]

    /// Creates an ACK from its fields (SPEC 4.4).
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

/// The message REJECT, which states the reason why the device did not carry out a message. The
/// sequence byte of the frame is the sequence byte of the rejected message.
public struct Reject: PayloadCoding, Hashable {
    /// The type of the rejected message.
    public var type: MessageType
    /// The reason for the rejection.
    public var code: RejectCode
    /// The offset of the payload byte that caused the rejection.
    public var offset: UInt8
    /// The nearest valid value, or another value whose meaning depends on `code` (SPEC 4.4), or 0.
    public var limit: UInt32

    /// Creates a REJECT from its fields (SPEC 4.4).
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
    /// The rejection in words, for example "START rejected: time too far from now (payload byte 3,
    /// nearest 0)".
    public var description: String {
        let detail = offset == 0 && limit == 0 ? "" : " (payload byte \(offset), nearest \(limit))"
        return "\(type) rejected: \(code)\(detail)"
    }
}
