// Deflate: decompresses the files in ZIP archives with zlib.

import CDeflate

enum Deflate {
    /// Returns the decompressed bytes (RFC 1951); nil if their number is not exactly `size`. The
    /// amount of memory used does not depend on the compressed bytes.
    static func unpacked(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        var stream = z_stream()
        // A negative number of window bits selects raw data without a zlib header.
        let size32 = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, -MAX_WBITS, ZLIB_VERSION, size32) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        // One additional byte in the buffer makes it possible to detect output that is too long.
        var output = [UInt8](repeating: 0, count: size + 1)
        var input = Array(packed)
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
            }
        }
        guard isWhole, Int(stream.total_out) == size else { return nil }
        output.removeLast()
        return output
    }

    /// Returns the CRC-32 of bytes, as used in ZIP archives.
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(crc32(0, $0.baseAddress, UInt32($0.count))) }
    }
}
