// JSONValue+Contents: the contents of a value whose kind is expected.

extension JSONValue {
    /// Returns the value of a key; nil if this value is not an object or the object lacks the key.
    package subscript(key: String) -> JSONValue? {
        if case .object(let object) = kind { object[key] } else { nil }
    }

    /// The text of a string; nil if the value is of another kind.
    package var string: String? { if case .string(let text) = kind { text } else { nil } }

    /// The value as a number; nil if it is not a finite number.
    package var number: Double? {
        guard case .number(let text) = kind, let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    /// The elements of an array; nil if the value is of another kind.
    package var elements: [JSONValue]? {
        if case .array(let elements) = kind { elements } else { nil }
    }
}
