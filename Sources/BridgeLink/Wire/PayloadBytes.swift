// PayloadReader and PayloadWriter: read and write the fields of a payload in little-endian order
// (SPEC 4).

/// Reads the fields of a payload whose length has already been checked against the size of the
/// message.
struct PayloadReader {
    private var rest: ArraySlice<UInt8>

    init(_ payload: [UInt8]) {
        rest = payload[...]
    }

    /// Returns the next little-endian integer.
    mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value {
        let bytes = read(Value.bitWidth / 8)
        return bytes.reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }

    /// Returns the next little-endian integer; 0 if an older sender has omitted the field (SPEC
    /// 4.1).
    mutating func integerIfThere<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value {
        remaining < Value.bitWidth / 8 ? 0 : integer()
    }

    /// Returns the next one-byte code, even if the code is unknown.
    mutating func code<Code: WireCode>(_: Code.Type = Code.self) -> Code {
        Code(rawValue: integer())
    }

    /// Returns the next `count` bytes.
    mutating func read(_ count: Int) -> [UInt8] {
        precondition(rest.count >= count, "the payload size must be checked before reading")
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns all bytes that have not been read.
    mutating func readRest() -> [UInt8] { read(rest.count) }

    var remaining: Int { rest.count }
}

/// Collects the fields of a payload.
struct PayloadWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
        for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    mutating func code(_ code: some WireCode) { bytes.append(code.rawValue) }

    mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }
}

/// A payload that can be encoded and decoded. `size` is the minimum number of bytes.
protocol PayloadCoding: Equatable, Sendable {
    static var size: Int { get }
    init(from reader: inout PayloadReader)
    func write(to writer: inout PayloadWriter)
}

extension PayloadCoding {
    /// Creates the message from `payload`. Bytes after the known fields are ignored (SPEC 4.1).
    init(_ payload: [UInt8]) throws(MessageError) {
        guard payload.count >= Self.size else {
            throw .tooShort(count: payload.count, needed: Self.size)
        }
        var reader = PayloadReader(payload)
        self.init(from: &reader)
    }

    var payload: [UInt8] {
        var writer = PayloadWriter()
        write(to: &writer)
        return writer.bytes
    }
}
