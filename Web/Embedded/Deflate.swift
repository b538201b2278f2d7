// Deflate: decompresses the files in ZIP archives (RFC 1951), in the place of zlib.

enum Deflate {
    /// Returns the decompressed bytes; nil if their number is not exactly `size`.
    static func unpacked(_ packed: ArraySlice<UInt8>, size: Int) -> [UInt8]? {
        var reader = DeflateReader(bits: DeflateBits(bytes: packed), size: size)
        return reader.read() ? reader.output : nil
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

/// The bits of a compressed file, from the least significant bit of the first byte on.
private struct DeflateBits {
    var bytes: ArraySlice<UInt8>
    private var bit: UInt8 = 0

    init(bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Returns the number in the next bits; nil if the file ends within them.
    mutating func number(_ count: Int) -> Int? {
        var value = 0
        for index in 0..<count {
            guard let byte = bytes.first else { return nil }
            value |= Int(byte >> bit & 1) << index
            bit = (bit + 1) % 8
            if bit == 0 { bytes.removeFirst() }
        }
        return value
    }

    mutating func skipToByte() {
        if bit > 0 { bytes.removeFirst() }
        bit = 0
    }
}

/// A Huffman code: for each length, the number of codes; and the symbols in the order of their
/// codes.
private struct HuffmanCode {
    private static let longest = 15
    private var counts = [Int](repeating: 0, count: longest + 1)
    private var symbols: [Int] = []

    init(lengths: [Int]) {
        for length in 1...Self.longest {
            let found = lengths.indices.filter { lengths[$0] == length }
            counts[length] = found.count
            symbols += found
        }
    }

    func symbol(_ bits: inout DeflateBits) -> Int? {
        var (code, first, index) = (0, 0, 0)
        for length in 1...Self.longest {
            guard let bit = bits.number(1) else { return nil }
            code |= bit
            let count = counts[length]
            // A damaged code may have too many symbols.
            guard code >= first else { return nil }
            if code - first < count { return symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        return nil
    }
}

/// The decompression of a file.
private struct DeflateReader {
    var bits: DeflateBits
    let size: Int
    var output: [UInt8] = []

    init(bits: DeflateBits, size: Int) {
        self.bits = bits
        self.size = size
    }

    /// Reads all blocks. Returns false if they are damaged, or have another size.
    mutating func read() -> Bool {
        while true {
            guard let last = bits.number(1), let type = bits.number(2) else { return false }
            let isWhole =
                switch type {
                case 0: copy()
                case 1: block(literals: Self.fixedLiterals, distances: Self.fixedDistances)
                case 2: dynamicBlock()
                default: false
                }
            guard isWhole, output.count <= size else { return false }
            if last == 1 { return output.count == size }
        }
    }

    private mutating func copy() -> Bool {
        bits.skipToByte()
        guard let count = bits.number(16), let inverse = bits.number(16), count ^ inverse == 0xFFFF,
            count <= bits.bytes.count
        else { return false }
        output += bits.bytes.prefix(count)
        bits.bytes.removeFirst(count)
        return true
    }

    private static let fixedLiterals = HuffmanCode(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = HuffmanCode(lengths: [Int](repeating: 5, count: 30))

    /// The order in which a block states the lengths of the code of its lengths.
    private static let order = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    private mutating func dynamicBlock() -> Bool {
        guard let literals = bits.number(5), let distances = bits.number(5),
            let count = bits.number(4)
        else { return false }
        var lengths = [Int](repeating: 0, count: Self.order.count)
        for position in Self.order.prefix(count + 4) {
            guard let length = bits.number(3) else { return false }
            lengths[position] = length
        }
        let total = literals + 257 + distances + 1
        guard let all = codeLengths(total, by: HuffmanCode(lengths: lengths)) else { return false }
        return block(
            literals: HuffmanCode(lengths: Array(all.prefix(literals + 257))),
            distances: HuffmanCode(lengths: Array(all.dropFirst(literals + 257))))
    }

    private mutating func codeLengths(_ total: Int, by code: HuffmanCode) -> [Int]? {
        var lengths: [Int] = []
        while lengths.count < total {
            guard let symbol = code.symbol(&bits) else { return nil }
            guard symbol >= 16 else {
                lengths.append(symbol)
                continue
            }
            guard symbol > 16 || !lengths.isEmpty,
                let more = bits.number(symbol == 16 ? 2 : symbol == 17 ? 3 : 7)
            else { return nil }
            let length = symbol == 16 ? lengths[lengths.count - 1] : 0
            lengths += [Int](repeating: length, count: more + (symbol == 18 ? 11 : 3))
        }
        return lengths.count == total ? lengths : nil
    }

    private mutating func block(literals: HuffmanCode, distances: HuffmanCode) -> Bool {
        while output.count <= size {
            guard let symbol = literals.symbol(&bits) else { return false }
            switch symbol {
            case 0..<256: output.append(UInt8(symbol))
            case 256: return true
            default: guard repeats(symbol - 257, distances) else { return false }
            }
        }
        return false
    }

    /// Repeats earlier output. The index selects the length.
    private mutating func repeats(_ index: Int, _ distances: HuffmanCode) -> Bool {
        guard index < 29, let length = lengthOf(index), let code = distances.symbol(&bits),
            code < 30, let distance = distanceOf(code), distance <= output.count
        else { return false }
        for _ in 0..<length { output.append(output[output.count - distance]) }
        return true
    }

    private mutating func lengthOf(_ index: Int) -> Int? {
        guard index < 28 else { return 258 }
        guard index >= 8 else { return index + 3 }
        let extra = index / 4 - 1
        return bits.number(extra).map { (index % 4 + 4) << extra + 3 + $0 }
    }

    private mutating func distanceOf(_ code: Int) -> Int? {
        guard code >= 4 else { return code + 1 }
        let extra = code / 2 - 1
        return bits.number(extra).map { (code % 2 + 2) << extra + 1 + $0 }
    }
}
