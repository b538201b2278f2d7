// HaptrixDecoder: from the bytes of a Haptrix connection to its messages.

/// Finds the messages in the bytes that Haptrix sends: a type and a length, of 32 bits each with
/// the lowest byte first, and as many bytes of content.
public struct HaptrixDecoder: Sendable {
    /// A message of Haptrix.
    public enum Message: Sendable, Equatable {
        /// The bytes of an AHAP file, from old versions.
        case ahap([UInt8])
        /// The end of the connection.
        case kill
        /// The bytes of a ZIP file with an AHAP file and sounds.
        case zip([UInt8])
        /// A message of another type, whose content was skipped.
        case unknown(UInt32)
    }

    /// The greatest length of a message that is read: 32 MiB.
    public static let lengthMax = 32 << 20

    private static let headerLength = 8
    private var bytes: [UInt8] = []
    /// The number of bytes that belong to messages before.
    private var offset = 0
    /// The number of further bytes of a message that is skipped.
    private var skipped = 0

    /// Makes a decoder for a new connection.
    public init() {}

    /// Adds bytes that have arrived.
    public mutating func append(_ new: some Collection<UInt8>) {
        let count = min(skipped, new.count)
        skipped -= count
        bytes += new.dropFirst(count)
    }

    /// Returns the next message; nil until all of it has arrived.
    ///
    /// - Throws: ``EditorLinkError`` for a message that is too long. The connection cannot go on
    ///   then.
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

    /// Moves on to behind the content of a message. What has been read is let go once it is the
    /// larger part, so that each byte is moved a few times at most.
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

extension ArraySlice<UInt8> {
    /// The number of 16 bits at an index, with the lowest byte first.
    func littleEndian16(at index: Int) -> UInt16 {
        UInt16(self[index]) | UInt16(self[index + 1]) << 8
    }

    /// The number of 32 bits at an index, with the lowest byte first.
    func littleEndian32(at index: Int) -> UInt32 {
        UInt32(littleEndian16(at: index)) | UInt32(littleEndian16(at: index + 2)) << 16
    }
}
