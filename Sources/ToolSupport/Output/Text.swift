// Text: formats numbers and JSON values.

import JSONText

extension Double {
    /// Returns the number with a fixed number of decimals, for example "2.50"; without a fixed number
    /// if it is 10^15 or more.
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

// MARK: JSON

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates an object that keeps the order of its keys.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(.object(JSONObject(elements.map { JSONObject.Member($0, $1) })))
    }

    public init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
    public init(stringLiteral value: String) { self.init(.string(value)) }
    /// Creates a JSON Boolean from a literal.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Creates a JSON null from a literal.
    public init(nilLiteral: ()) { self.init(.null) }
}

extension JSONValue {
    package static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
    package static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    package static func string(_ value: String?) -> JSONValue {
        value.map { JSONValue(.string($0)) } ?? nil
    }

    package static func number(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: "\(value)"))
    }

    package static func number(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { number($0) } ?? nil
    }

    /// Returns a value in thousandths as a value in units, for example 2500 mV as 2.5.
    package static func thousandths(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: (Double(value) / 1000).text(decimals: 3)))
    }

    /// Returns a value in thousandths as a value in units; null for 0, which means unknown.
    package static func knownThousandths(_ value: UInt16) -> JSONValue {
        value > 0 ? .thousandths(value) : nil
    }

    /// Returns a value in tenths as a value in units, for example tenths of a hertz in hertz.
    package static func tenths(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: (Double(value) / 10).text(decimals: 1)))
    }

    /// Returns a value with one decimal; null if it is unknown.
    package static func tenths(_ value: Double?) -> JSONValue {
        value.map { JSONValue(.number(text: $0.text(decimals: 1))) } ?? nil
    }

    /// Returns a description as a name for JSON, for example "at rest" as "at-rest".
    package static func name(_ value: some CustomStringConvertible) -> JSONValue {
        string("\(value)".lowercased().split(separator: " ").joined(separator: "-"))
    }
}

extension UInt8 {
    /// The byte as two hexadecimal digits.
    package var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
