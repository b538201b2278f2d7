// NotCompared: a property that does not count when values are compared.

/// A property that is ignored when its owner is compared.
///
/// Two events are equal if they feel the same, whatever their locations in their files.
@propertyWrapper
public struct NotCompared<Value: Sendable>: Sendable, Equatable {
    /// The value itself.
    public var wrappedValue: Value

    /// Wraps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Returns true for any two values.
    public static func == (left: Self, right: Self) -> Bool { true }
}

extension NotCompared: Codable where Value: ExpressibleByNilLiteral {
    /// Makes a property without a value. Such a property stays behind where its owner is encoded.
    public init(from decoder: any Decoder) throws { wrappedValue = nil }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}
