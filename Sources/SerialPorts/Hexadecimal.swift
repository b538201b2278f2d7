// Hexadecimal: numbers in the hexadecimal format that the operating system uses in ids and names.

extension UnsignedInteger {
    /// Returns the number in hexadecimal, padded with zeros to the given number of digits.
    func hexadecimal(_ count: Int) -> String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
