// Deflate: decompresses the files in ZIP archives (RFC 1951) with the help of the browser.

/// The contents of the compressed file that is being read from an archive.
///
/// The browser decompresses asynchronously. Therefore, a conversion that needs contents fails at
/// first, and is repeated when the contents have been provided.
package enum Deflate {
    /// The compressed file that the latest conversion needed, and the size of its contents.
    nonisolated(unsafe) package static var needed: (packed: [UInt8], size: Int)?
    /// The contents that the browser has provided for the next conversion.
    nonisolated(unsafe) package static var provided: [UInt8]?

    /// Returns the decompressed bytes; nil if they have not been provided yet, or if their number
    /// is not exactly `size`.
    static func unpacked(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        guard let provided else {
            needed = (Array(packed), size)
            return nil
        }
        return provided.count == size ? provided : nil
    }

    /// Returns the CRC-32 of bytes, as used in ZIP archives.
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return ~sum
    }
}
