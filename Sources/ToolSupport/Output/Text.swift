// Text: JSON values for results, and bytes as text.

import JSONText

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

    /// Returns a value in thousandths as a value in units; null for 0, which represents an unknown
    /// value.
    package static func knownThousandths(_ value: UInt16) -> JSONValue {
        value > 0 ? .thousandths(value) : nil
    }

    /// Returns a value in tenths as a value in units, for example 1750 tenths of a hertz as 175.
    package static func tenths(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: (Double(value) / 10).text(decimals: 1)))
    }

    /// Returns a value with one decimal; null if the value is unknown.
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
