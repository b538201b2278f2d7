// Byte arrays in hexadecimal notation.

extension [UInt8] {
    /// Creates bytes from hexadecimal digits. Ignores spaces.
    init(hex: String) {
        let digits = [Character](hex.filter { !$0.isWhitespace })
        self = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)!
        }
    }
}
