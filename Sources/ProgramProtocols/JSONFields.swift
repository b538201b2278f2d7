// The fields of the JSON messages of other programs.

import JSONText

extension JSONValue {
    /// Returns the value of a key; nil if this value is not an object or the object lacks the key.
    subscript(key: String) -> JSONValue? {
        if case .object(let object) = kind { object[key] } else { nil }
    }

    var string: String? { if case .string(let text) = kind { text } else { nil } }

    /// The value as a number; nil if it is not a finite number.
    var number: Double? {
        guard case .number(let text) = kind, let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    var elements: [JSONValue]? { if case .array(let elements) = kind { elements } else { nil } }
}
