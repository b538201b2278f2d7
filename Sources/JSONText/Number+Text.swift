// Number+Text: numbers as text for messages.

extension Double {
    /// Returns the number with a fixed number of decimals, for example "2.50"; the number of
    /// decimals is not fixed for numbers of 10^15 and more.
    package func text(decimals: Int) -> String {
        guard magnitude < 1e15 else { return "\(self)" }
        let factor = (0..<decimals).reduce(1) { product, _ in product * 10 }
        let scaled = Int64((self * Double(factor)).rounded())
        let sign = scaled < 0 ? "-" : ""
        let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let digits = "\(rest)"
        return "\(sign)\(whole).\(String(repeating: "0", count: decimals - digits.count))\(digits)"
    }
}

extension Int64 {
    /// The microseconds as seconds, for example "1.25 s".
    package var secondsText: String { (Double(self) / 1e6).text(decimals: 2) + " s" }
}

extension Int {
    /// Returns the number with a noun, for example "1 tap" or "2 taps".
    package func text(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
