// Bytes for the tests of this module.

/// Returns bytes that are written in hex, as the specification prints them.
func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").map { UInt8($0, radix: 16)! }
}
