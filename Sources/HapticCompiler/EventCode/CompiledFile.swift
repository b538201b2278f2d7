// CompiledFile: the file format of a compiled stream, `.hbes` (SPEC 7.6).

import Checksum
import HapticPatterns

/// A compiled stream as a file (SPEC 7.6).
///
/// ```
/// "HBES"  version u8  flags u8  tick u16 (us)  count u32  CRC-32C u32  event bytes
/// ```
public struct CompiledFile: Sendable, Hashable {
    /// The length of a tick in microseconds, 1 to 255.
    public var tick: UInt16
    /// The event code up to and including END.
    public var bytes: [UInt8]

    /// Creates a file that contains event code.
    public init(tick: UInt16 = UInt16(StreamTime.tick), bytes: [UInt8]) {
        self.tick = tick
        self.bytes = bytes
    }

    /// The bytes of the file.
    public var encoded: [UInt8] {
        var file = Self.magic + [Self.version, 0]
        file.appendLittleEndian(tick)
        file.appendLittleEndian(UInt32(bytes.count))
        file.appendLittleEndian(CRC32C.checksum(bytes))
        return file + bytes
    }

    /// Reads a whole file, but does not check the event code itself. ``EventStreamDecoder`` checks
    /// it.
    ///
    /// - Throws: ``CompiledFileError``.
    public init(decoding file: [UInt8]) throws(CompiledFileError) {
        guard file.starts(with: Self.magic) else { throw .notACompiledFile }
        guard file.count >= Self.headerSize else {
            throw .truncated(offset: file.count, expected: Self.headerSize)
        }
        guard file[4] == Self.version else { throw .unknownVersion(file[4], offset: 4) }
        guard file[5] == 0 else { throw .unknownFlags(file[5], offset: 5) }
        let count = Int(file.littleEndian(at: 8, as: UInt32.self))
        try Self.checkLength(of: file, eventBytes: count)
        self.init(
            tick: file.littleEndian(at: 6, as: UInt16.self), bytes: Array(file[Self.headerSize...]))
        guard Self.ticks.contains(tick) else { throw .illegalTick(tick, offset: 6) }
        let found = CRC32C.checksum(bytes)
        let expected = file.littleEndian(at: 12, as: UInt32.self)
        guard found == expected else {
            throw .damaged(offset: 12, expected: expected, found: found)
        }
    }

    private static func checkLength(
        of file: [UInt8], eventBytes: Int
    ) throws(CompiledFileError) {
        let expected = headerSize + eventBytes
        guard file.count >= expected else {
            throw .truncated(offset: file.count, expected: expected)
        }
        guard file.count == expected else { throw .trailingBytes(offset: expected) }
    }

    private static let magic = Array("HBES".utf8)
    private static let version: UInt8 = 1
    private static let headerSize = 16
    /// The tick lengths that the scale in START can express, in microseconds (SPEC 5).
    private static let ticks: ClosedRange<UInt16> = 1...255
}

extension [UInt8] {
    fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        for index in 0..<(value.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    fileprivate func littleEndian<Value: FixedWidthInteger>(
        at offset: Int, as type: Value.Type
    ) -> Value {
        (0..<(Value.bitWidth / 8)).reduce(0) { value, index in
            value | Value(truncatingIfNeeded: self[offset + index]) << (8 * index)
        }
    }
}
