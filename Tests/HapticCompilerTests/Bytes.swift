// Byte arrays for the tests of this module.

/// Returns bytes from hexadecimal digits, as printed in the specification.
func bytes(_ hex: String) -> [UInt8] {
    hex.split(separator: " ").map { UInt8($0, radix: 16)! }
}
