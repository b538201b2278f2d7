// HaptrixDecoder: splits the bytes that arrive over a Haptrix connection into messages.

import PatternFormats

/// Splits the bytes that Haptrix sends into messages. A message consists of its type, the length of
/// its content (both as 32-bit little-endian numbers) and the content.
public struct HaptrixDecoder: Sendable {
    /// A message that Haptrix sends.
    public enum Message: Sendable, Equatable {
        /// The bytes of an AHAP file. Old versions of Haptrix send this message.
        case ahap([UInt8])
        /// The end of the connection.
        case kill
        /// The bytes of a ZIP archive that contains an AHAP file and sounds.
        case zip([UInt8])
        /// A message of an unknown type, whose content has been skipped.
        case unknown(UInt32)
    }

    /// The maximum length of a message: 32 MiB.
    public static let lengthMax = 32 << 20

    private static let headerLength = 8
    private var bytes: [UInt8] = []
    /// The number of buffered bytes that belong to messages that have already been returned.
    private var offset = 0
    /// The number of bytes of an unknown message that have not arrived yet and will be skipped.
    private var skipped = 0

    /// Creates a decoder for a new connection.
    public init() {}

    /// Adds received bytes.
    public mutating func append(_ new: some Collection<UInt8>) {
        let count = min(skipped, new.count)
        skipped -= count
        bytes += new.dropFirst(count)
    }

    /// Returns the next message; nil if the message has not arrived completely.
    ///
    /// - Throws: ``EditorLinkError`` if a message is too long. The connection cannot be used after
    ///   this error.
    public mutating func next() throws(EditorLinkError) -> Message? {
        guard bytes.count - offset >= Self.headerLength else { return nil }
        let (type, length) = (number(at: offset), Int(number(at: offset + 4)))
        guard length <= Self.lengthMax else {
            throw EditorLinkError(
                "Haptrix: a message has \(length) bytes; at most \(Self.lengthMax) are read")
        }
        let start = offset + Self.headerLength
        guard (1...3).contains(type) else {
            skip(length, from: start)
            return .unknown(type)
        }
        guard bytes.count - start >= length else { return nil }
        let content = Array(bytes[start..<start + length])
        skip(length, from: start)
        return switch type {
        case 1: .ahap(content)
        case 2: .kill
        default: .zip(content)
        }
    }

    /// Advances to the end of a message's content. Bytes that have been read are removed only when
    /// they take up more than half of the buffer, so that each byte is moved only a few times.
    private mutating func skip(_ length: Int, from start: Int) {
        let present = min(length, bytes.count - start)
        skipped = length - present
        offset = start + present
        guard offset >= bytes.count / 2 else { return }
        bytes.removeFirst(offset)
        offset = 0
    }

    private func number(at index: Int) -> UInt32 { bytes[...].littleEndian32(at: index) }
}
