// CompiledFileError: the error in a file that is not a valid compiled stream.

import CBridgeProtocol
import HapticPatterns

/// An error in the file of a compiled stream. Offsets are in bytes from the start of the file.
public enum CompiledFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file does not start with "HBES".
    case notACompiledFile
    /// The file has an unknown format version.
    case unknownVersion(UInt8, offset: Int)
    /// The file has flags that this version does not support.
    case unknownFlags(UInt8, offset: Int)
    /// The file has a tick length that no device supports.
    case illegalTick(UInt16, offset: Int)
    /// The file ends at `offset`, before its `expected` length.
    case truncated(offset: Int, expected: Int)
    /// The file has bytes after the event code.
    case trailingBytes(offset: Int)
    /// The checksum at `offset` does not match the event code.
    case damaged(offset: Int, expected: UInt32, found: UInt32)

    /// A description of the error.
    public var description: String {
        switch self {
        case .notACompiledFile: "byte 0: not a compiled file, which starts with \"HBES\""
        case .unknownVersion(let version, let offset):
            "byte \(offset): version \(version) is unknown; compile the pattern again"
        case .unknownFlags(let flags, let offset): "byte \(offset): flags \(flags) are unknown"
        case .illegalTick(let tick, let offset):
            "byte \(offset): a tick of \(tick) microseconds; 1 to 255 microseconds are expected"
        case .truncated(let offset, let expected):
            "byte \(offset): the file ends here, \(expected - offset) bytes too early"
        case .trailingBytes(let offset): "byte \(offset): bytes after the end of the event code"
        case .damaged(let offset, let expected, let found):
            "byte \(offset): damaged: the checksum should be \(Self.digits(of: found)), "
                + "not \(Self.digits(of: expected))"
        }
    }

    /// Returns a checksum as eight hexadecimal digits.
    private static func digits(of checksum: UInt32) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
