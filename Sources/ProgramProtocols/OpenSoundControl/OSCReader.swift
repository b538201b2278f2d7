// OSCReader: reads the bytes of a datagram into a packet.

/// The reason why a datagram is invalid, with the position of the error.
public struct OSCError: Error, Hashable, CustomStringConvertible {
    /// The offset of the invalid byte from the beginning of the datagram.
    public let offset: Int
    /// A short description of the error.
    public let message: String

    public var description: String { "byte \(offset): \(message)" }
}

/// Reads a datagram (opensoundcontrol.stanford.edu/spec-1_0.html and spec-1_1.html).
///
/// All values are big-endian and aligned to 4 bytes. A message without type tags, as sent by very
/// old programs, is treated as a message without arguments.
public struct OSCReader {
    /// The maximum size of a datagram in bytes. This size is the limit of UDP over IPv4.
    public static let size = 65_507
    /// The maximum nesting depth of bundles and of arrays.
    static let depth = 8
    /// The maximum number of messages and bundles in a datagram.
    static let elements = 1024
    /// The maximum number of arguments in a message.
    static let arguments = 256

    private let bytes: [UInt8]
    private var offset = 0
    private var elementsLeft = elements

    /// Reads a datagram.
    ///
    /// - Throws: ``OSCError`` if the bytes are not a packet, or exceed a limit.
    public static func read(_ bytes: [UInt8]) throws(OSCError) -> OSCPacket {
        var reader = OSCReader(bytes: bytes)
        guard bytes.count <= size else {
            throw reader.error("a datagram must have at most \(size) bytes")
        }
        return try reader.packet(until: bytes.count, depth: 0)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func error(_ message: String, at position: Int? = nil) -> OSCError {
        OSCError(offset: position ?? offset, message: message)
    }

    // MARK: Packets

    private mutating func packet(until end: Int, depth: Int) throws(OSCError) -> OSCPacket {
        guard elementsLeft > 0 else {
            throw error("the datagram has more than \(Self.elements) messages")
        }
        elementsLeft -= 1
        guard end - offset >= 4, end.isMultiple(of: 4) else {
            throw error("the size of a packet must be a multiple of 4 bytes, and at least 4")
        }
        switch bytes[offset] {
        case UInt8(ascii: "/"): return .message(try message(until: end))
        case UInt8(ascii: "#"): return try bundle(until: end, depth: depth)
        default: throw error("a packet must begin with an address (/…) or with #bundle")
        }
    }

    private mutating func bundle(until end: Int, depth: Int) throws(OSCError) -> OSCPacket {
        guard depth < Self.depth else {
            throw error("bundles are nested deeper than \(Self.depth)")
        }
        let start = offset
        guard try string(until: end) == "#bundle" else {
            throw error("expected #bundle", at: start)
        }
        let tag = OSCTimeTag(try integer(until: end))
        var packets: [OSCPacket] = []
        while offset < end {
            let position = offset
            let size = Int(try integer(until: end) as UInt32)
            guard size <= end - offset else {
                throw error("an element of \(size) bytes extends beyond its bundle", at: position)
            }
            packets.append(try packet(until: offset + size, depth: depth + 1))
        }
        return .bundle(tag, packets)
    }

    private mutating func message(until end: Int) throws(OSCError) -> OSCMessage {
        let address = try string(until: end)
        guard offset < end else { return OSCMessage(address) }
        let position = offset
        guard bytes[position] == UInt8(ascii: ",") else {
            throw error("expected the type string of the arguments, which begins with a comma")
        }
        let tags = try string(until: end).utf8.dropFirst()
        guard tags.count <= Self.arguments else {
            throw error("the message has more than \(Self.arguments) arguments", at: position)
        }
        var arrays: [[OSCArgument]] = [[]]
        for (index, tag) in tags.enumerated() {
            switch tag {
            case UInt8(ascii: "["):
                guard arrays.count <= Self.depth else {
                    throw error("arrays are nested deeper than \(Self.depth)", at: position)
                }
                arrays.append([])
            case UInt8(ascii: "]"):
                guard arrays.count > 1 else { throw error("] without [", at: position) }
                let array = OSCArgument.array(arrays.removeLast())
                arrays[arrays.count - 1].append(array)
            default:
                let argument = try argument(tag, at: position + 1 + index, until: end)
                arrays[arrays.count - 1].append(argument)
            }
        }
        guard arrays.count == 1 else { throw error("[ without ]", at: position) }
        guard offset == end else { throw error("expected no bytes after the last argument") }
        return OSCMessage(address, arrays[0])
    }

    // MARK: Arguments

    private mutating func argument(
        _ tag: UInt8, at position: Int, until end: Int
    ) throws(OSCError) -> OSCArgument {
        switch tag {
        case UInt8(ascii: "i"): return .int32(Int32(bitPattern: try integer(until: end)))
        case UInt8(ascii: "f"): return .float(Float(bitPattern: try integer(until: end)))
        case UInt8(ascii: "s"), UInt8(ascii: "S"): return .string(try string(until: end))
        case UInt8(ascii: "b"): return .blob(try blob(until: end))
        case UInt8(ascii: "h"): return .int64(Int64(bitPattern: try integer(until: end)))
        case UInt8(ascii: "d"): return .double(Double(bitPattern: try integer(until: end)))
        case UInt8(ascii: "t"): return .timeTag(OSCTimeTag(try integer(until: end)))
        case UInt8(ascii: "c"):
            let start = offset
            guard let scalar = Unicode.Scalar(try integer(until: end) as UInt32) else {
                throw error("not a character", at: start)
            }
            return .character(scalar)
        case UInt8(ascii: "r"): return .color(try integer(until: end))
        case UInt8(ascii: "m"): return .midi(try integer(until: end))
        case UInt8(ascii: "T"): return .bool(true)
        case UInt8(ascii: "F"): return .bool(false)
        case UInt8(ascii: "N"): return .null
        case UInt8(ascii: "I"): return .impulse
        default:
            throw error(
                "the argument type \(String(Unicode.Scalar(tag)).debugDescription) is unknown",
                at: position)
        }
    }

    private mutating func integer<Value: FixedWidthInteger>(
        until end: Int
    ) throws(OSCError) -> Value {
        let size = Value.bitWidth / 8
        guard end - offset >= size else { throw error("expected \(size) bytes") }
        defer { offset += size }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Value($1) }
    }

    private mutating func string(until end: Int) throws(OSCError) -> String {
        guard let zero = bytes[offset..<end].firstIndex(of: 0) else {
            throw error("the string has no terminating zero")
        }
        guard let text = String(validating: bytes[offset..<zero], as: UTF8.self) else {
            throw error("the string is not valid UTF-8")
        }
        try skipPadding(from: zero + 1, until: end)
        return text
    }

    private mutating func blob(until end: Int) throws(OSCError) -> [UInt8] {
        let position = offset
        let size = Int(try integer(until: end) as UInt32)
        guard size <= end - offset else {
            throw error("a blob of \(size) bytes extends beyond the packet", at: position)
        }
        let blob = Array(bytes[offset..<offset + size])
        try skipPadding(from: offset + size, until: end)
        return blob
    }

    private mutating func skipPadding(from position: Int, until end: Int) throws(OSCError) {
        let next = (position + 3) & ~3
        guard next <= end, bytes[position..<next].allSatisfy({ $0 == 0 }) else {
            throw error("expected zeros up to a multiple of 4 bytes", at: position)
        }
        offset = next
    }
}
