// JSONValue: a JSON value, with the locations of its parts in the text.

/// A JSON value. Comparisons ignore locations.
public struct JSONValue: Sendable, Equatable {
    /// The kind of a value, with its content.
    public enum Kind: Sendable, Equatable {
        /// The literal `null`.
        case null
        /// The literal `true` or `false`.
        case bool(Bool)
        /// A number, stored as its original text so that it can be written again unchanged.
        case number(text: String)
        /// A string, without its quotation marks and with its escape sequences decoded.
        case string(String)
        /// An array, `[...]`.
        case array([JSONValue])
        /// An object, `{...}`.
        case object(JSONObject)
    }

    /// The kind of the value, with its content.
    public var kind: Kind
    /// The location of the first character; nil if the value was not read from a text. Comparisons
    /// ignore it.
    @NotCompared public var location: SourceLocation?

    /// Creates a value.
    public init(_ kind: Kind, location: SourceLocation? = nil) {
        self.kind = kind
        self.location = location
    }

    /// The name of the kind with an indefinite article, for messages.
    package var kindName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object, in the order of the text.
public struct JSONObject: Sendable, Equatable {
    /// A key with its value.
    public struct Member: Sendable, Equatable {
        /// The key, without its quotation marks and with its escape sequences decoded.
        public var key: String
        /// The value.
        public var value: JSONValue
        /// The location of the key's opening quotation mark; ignored by comparisons.
        @NotCompared public var keyLocation: SourceLocation?

        /// Creates a member.
        public init(_ key: String, _ value: JSONValue, keyLocation: SourceLocation? = nil) {
            self.key = key
            self.value = value
            self.keyLocation = keyLocation
        }
    }

    /// The members of the object. If the object was read from a text, each key occurs only once.
    public var members: [Member]

    /// Creates an object.
    public init(_ members: [Member] = []) { self.members = members }

    /// Returns the value of a key; nil if the key does not exist. If the key occurs more than once,
    /// returns the value of its last occurrence.
    public subscript(key: String) -> JSONValue? { members.last { $0.key == key }?.value }
}
