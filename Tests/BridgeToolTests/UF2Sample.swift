// Small UF2 files, built from the definition of the format (github.com/microsoft/uf2).

/// A UF2 file that is assembled from parts, for tests that corrupt one of the parts.
struct UF2Sample {
    var data: [UInt8]
    var address: UInt32 = 0x1000_0000
    var family: UInt32 = 0xE48B_FF56
    var flags: UInt32 = 0x2000
    var count: UInt32?

    /// Creates a sample whose bytes have different values.
    init(size: Int) { data = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 7) } }

    var bytes: [UInt8] {
        let blocks = data.count / 256
        return (0..<blocks).flatMap { number -> [UInt8] in
            let words: [UInt32] = [
                0x0A32_4655, 0x9E5D_5157, flags, address + UInt32(number * 256), 256,
                UInt32(number),
                count ?? UInt32(blocks), family,
            ]
            let payload = data[number * 256..<(number + 1) * 256]
            return words.flatMap(Self.little) + payload + [UInt8](repeating: 0, count: 220)
                + Self.little(0x0AB1_6F30)
        }
    }

    private static func little(_ word: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
}
