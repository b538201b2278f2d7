// Numbers, tables and JSON objects as text for people and programs.

import AHAP

extension Double {
    /// With a fixed number of decimals, for example "2.50".
    func text(decimals: Int) -> String {
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
    /// Microseconds as seconds, for example "1.25 s".
    var secondsText: String { (Double(self) / 1e6).text(decimals: 2) + " s" }
}

extension Int {
    /// With a noun, for example "1 tap" or "2 taps".
    func text(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// Rows of text under each other.
struct Table {
    private var rows: [[String]]

    init(_ header: [String]) { rows = [header] }
    init() { rows = [] }

    mutating func append(_ row: String...) { rows.append(row) }
    mutating func append(_ row: [String]) { rows.append(row) }

    /// The rows with columns two spaces apart; the last column is not padded.
    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { Self.line($0, widths) }.joined(separator: "\n")
    }

    private static func line(_ row: [String], _ widths: [Int]) -> String {
        let padded = row.enumerated().map { index, cell in
            index == row.count - 1
                ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
        }
        return padded.joined(separator: "  ")
    }
}

// MARK: JSON

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// An object that keeps the order of its keys.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(.object(JSONObject(elements.map { JSONObject.Member($0, $1) })))
    }

    public init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
    public init(stringLiteral value: String) { self.init(.string(value)) }
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    public init(nilLiteral: ()) { self.init(.null) }
}

extension JSONValue {
    static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(.array(elements)) }
    static func bool(_ value: Bool) -> JSONValue { JSONValue(.bool(value)) }

    static func string(_ value: String?) -> JSONValue {
        value.map { JSONValue(.string($0)) } ?? nil
    }

    static func number(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: "\(value)"))
    }

    static func number(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { number($0) } ?? nil
    }

    /// Milli-units as units, for example 2500 mV as 2.5.
    static func thousandths(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: (Double(value) / 1000).text(decimals: 3)))
    }

    /// For example 0.1 Hz as Hz.
    static func tenths(_ value: some BinaryInteger) -> JSONValue {
        JSONValue(.number(text: (Double(value) / 10).text(decimals: 1)))
    }

    /// Words for people, in a place where programs read a fixed name: "at rest" as "at-rest".
    static func name(_ value: some CustomStringConvertible) -> JSONValue {
        string("\(value)".lowercased().split(separator: " ").joined(separator: "-"))
    }
}

extension [UInt8] {
    /// Two digits a byte, without spaces.
    var hexadecimal: String { map(\.hexadecimal).joined() }
}

extension UInt8 {
    /// Two digits.
    var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
