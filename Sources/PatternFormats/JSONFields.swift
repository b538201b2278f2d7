// JSONFields: checked access to the members of a JSON object in a pattern file.

import AHAP
import HapticPatterns
import JSONText

/// A JSON object whose members are read by key and type.
package struct JSONFields {
    /// The members of the object.
    private let object: JSONObject
    /// The location of the object in its file.
    package let location: SourceLocation?

    /// Creates the fields of a value. Throws an error if the value is not an object.
    package init(_ value: JSONValue) throws(FormatError) {
        guard case .object(let object) = value.kind else {
            throw FormatError(
                at: value.location, rule: .wrongType,
                "expected an object, found \(value.kindName)",
                advice: "export the file again")
        }
        self.object = object
        location = value.location
    }

    /// Returns the value of a key; nil if the key is missing or its value is null.
    package func value(_ key: String) -> JSONValue? {
        object[key].flatMap { $0.kind == .null ? nil : $0 }
    }

    /// Returns whether the object has a key.
    package func has(_ key: String) -> Bool { value(key) != nil }

    /// Returns the object that is the value of a key.
    package func fields(_ key: String) throws(FormatError) -> JSONFields {
        try JSONFields(required(key))
    }

    /// Returns the object that is the value of a key; nil if the key is missing.
    package func optionalFields(_ key: String) throws(FormatError) -> JSONFields? {
        guard let value = value(key) else { return nil }
        return try JSONFields(value)
    }

    /// Returns the elements of the array that is the value of a key.
    package func array(_ key: String) throws(FormatError) -> [JSONValue] {
        let value = try required(key)
        guard case .array(let elements) = value.kind else { throw wrong(key, value, "an array") }
        guard elements.count <= FormatLimits.points else {
            throw FormatError(
                at: value.location, rule: .tooLarge,
                "\"\(key)\" has \(elements.count) elements; the limit is \(FormatLimits.points)",
                advice: "split the file into several")
        }
        return elements
    }

    /// Returns the elements of the array that is the value of a key; an empty array if the key is
    /// missing.
    package func optionalArray(_ key: String) throws(FormatError) -> [JSONValue] {
        has(key) ? try array(key) : []
    }

    /// Returns the string that is the value of a key; nil if the key is missing.
    package func string(_ key: String) throws(FormatError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value.kind else { throw wrong(key, value, "a string") }
        return text
    }

    /// Returns the number that is the value of a key and must be within a range.
    package func number(
        _ key: String, in range: ClosedRange<Double>
    ) throws(FormatError) -> Double {
        try Self.number(required(key), key, in: range)
    }

    /// Returns the number that is the value of a key and must be within a range. If the key is
    /// missing, returns a default value.
    package func number(
        _ key: String, in range: ClosedRange<Double>, default other: Double
    ) throws(FormatError) -> Double {
        guard let value = value(key) else { return other }
        return try Self.number(value, key, in: range)
    }

    /// Returns the time that is the value of a key, in microseconds.
    ///
    /// - Parameter unit: the file's unit of time, in microseconds.
    package func time(_ key: String, unit: Double = 1e6) throws(FormatError) -> Microseconds {
        let latest = Double(FormatLimits.latest)
        let value = try number(key, in: 0...(latest / unit))
        return Microseconds(min((value * unit).rounded(), latest))
    }

    /// Returns the number that a value contains, which must be within a range.
    package static func number(
        _ value: JSONValue, _ name: String, in range: ClosedRange<Double>
    ) throws(FormatError) -> Double {
        guard case .number(let text) = value.kind, let number = Double(text) else {
            throw FormatError(
                at: value.location, rule: .wrongType,
                "expected a number for \"\(name)\", found \(value.kindName)",
                advice: "write a number without quotes")
        }
        guard range.contains(number) else {
            throw FormatError(
                at: value.location, rule: .illegalNumber,
                "\"\(name)\" is \(text.excerpt); it must be in the range \(limits(range))",
                advice: "write a number in that range")
        }
        return number
    }

    private static func limits(_ range: ClosedRange<Double>) -> String {
        func text(_ bound: Double) -> String {
            bound == bound.rounded() && abs(bound) < 1e15 ? "\(Int64(bound))" : "\(bound)"
        }
        return "\(text(range.lowerBound)) to \(text(range.upperBound))"
    }

    private func required(_ key: String) throws(FormatError) -> JSONValue {
        guard let value = value(key) else {
            throw FormatError(
                at: location, rule: .missingKey, "\"\(key)\" is missing here",
                advice: "add \"\(key)\"")
        }
        return value
    }

    private func wrong(_ key: String, _ value: JSONValue, _ expected: String) -> FormatError {
        FormatError(
            at: value.location, rule: .wrongType,
            "expected \(expected) for \"\(key)\", found \(value.kindName)",
            advice: "export the file again")
    }
}
