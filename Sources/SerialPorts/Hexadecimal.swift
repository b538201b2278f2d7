// Hexadecimal: numbers as the operating system writes them in ids and names.

extension UnsignedInteger {
    /// Returns the number in hexadecimal digits, with zeros in front up to a number of digits.
    func hexadecimal(_ count: Int) -> String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
