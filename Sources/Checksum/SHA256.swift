// SHA256: the SHA-256 hash (FIPS 180-4), and the message authentication code that is based on it
// (RFC 2104). The authentication code proves that the sender of a message has a key.
//
// The project contains its own implementation, because no implementation is available on all
// platforms, and the swift-crypto package would require compiling all of BoringSSL.

/// A SHA-256 hash of bytes that are added in portions.
package struct SHA256: Sendable {
    /// The length of a hash, in bytes.
    package static let length = 32
    static let blockLength = 64

    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var block: [UInt8] = []
    private var count: UInt64 = 0

    /// Creates the hash of an empty sequence.
    package init() { block.reserveCapacity(Self.blockLength) }

    /// Returns the hash of bytes.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// Adds bytes.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    /// Returns the hash of all bytes that have been added.
    package mutating func finish() -> [UInt8] {
        let bits = count &* 8
        append(0x80)
        while block.count != Self.blockLength - 8 { append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private mutating func append(_ byte: UInt8) {
        block.append(byte)
        count &+= 1
        guard block.count == Self.blockLength else { return }
        compress()
        block.removeAll(keepingCapacity: true)
    }

    /// Adds a complete block to the state (FIPS 180-4, 6.2.2).
    private mutating func compress() {
        let words = schedule()
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[round] &+ words[round]
            let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private func schedule() -> [UInt32] {
        var words = (0..<16).map { index in
            block[(4 * index)..<(4 * index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (old, recent) = (words[index - 15], words[index - 2])
            let sigma0 = old.rotated(7) ^ old.rotated(18) ^ (old >> 3)
            let sigma1 = recent.rotated(17) ^ recent.rotated(19) ^ (recent >> 10)
            words.append(words[index - 16] &+ sigma0 &+ words[index - 7] &+ sigma1)
        }
        return words
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS
    /// 180-4, 4.2.2).
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]

    // MARK: Authentication

    /// Returns the authentication code of a message (HMAC, RFC 2104).
    package static func code(of message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        let short = key.count > blockLength ? hash(key) : key
        let padded = short + [UInt8](repeating: 0, count: blockLength - short.count)
        var inner = SHA256()
        inner.update(padded.lazy.map { $0 ^ 0x36 })
        inner.update(message)
        var outer = SHA256()
        outer.update(padded.lazy.map { $0 ^ 0x5c })
        outer.update(inner.finish())
        return outer.finish()
    }

    /// Returns whether two codes are equal, in constant time.
    package static func isEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension UInt32 {
    /// Returns the word with its bits rotated to the right.
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
