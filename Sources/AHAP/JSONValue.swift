// A JSON value with the place of each part in its text.

/// One JSON value. Equal values mean the same; their places are not compared.
public struct JSONValue: Sendable, Equatable {
    /// What a value is.
    public enum Kind: Sendable, Equatable {
        /// `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number, in its own digits, so that it can be written again exactly.
        case number(text: String)
        /// A string, without quotes and escapes.
        case string(String)
        /// `[...]`.
        case array([JSONValue])
        /// `{...}`.
        case object(JSONObject)
    }

    /// What the value is.
    public var kind: Kind
    /// Where its first character stands; nil for a value that came from no text.
    @NotCompared public var place: SourcePlace?

    /// Makes a value.
    public init(_ kind: Kind, place: SourcePlace? = nil) {
        self.kind = kind
        self.place = place
    }

    /// The name of the kind with its article, for messages.
    var kindName: String {
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

/// The members of a JSON object in the order of the text.
public struct JSONObject: Sendable, Equatable {
    /// A key with its value.
    public struct Member: Sendable, Equatable {
        /// The key, without quotes and escapes.
        public var key: String
        /// The value.
        public var value: JSONValue
        /// Where the key's opening quote stands; not compared.
        @NotCompared public var keyPlace: SourcePlace?

        /// Makes a member.
        public init(_ key: String, _ value: JSONValue, keyPlace: SourcePlace? = nil) {
            self.key = key
            self.value = value
            self.keyPlace = keyPlace
        }
    }

    /// The members. No key occurs twice in an object that was read.
    public var members: [Member]

    /// Makes an object.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of a key; the last one if it occurs twice.
    public subscript(key: String) -> JSONValue? { members.last { $0.key == key }?.value }
}
