// NotCompared: a property that is ignored when its owner is compared.

/// A property that is ignored when its owner is compared.
///
/// For example, two events are equal if they feel the same, regardless of their locations in files.
@propertyWrapper
public struct NotCompared<Value: Sendable>: Sendable, Equatable {
    /// The value of the property.
    public var wrappedValue: Value

    /// Wraps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Returns true, regardless of the two values.
    public static func == (left: Self, right: Self) -> Bool { true }
}

#if !hasFeature(Embedded)
    extension NotCompared: Codable where Value: ExpressibleByNilLiteral {
        /// Creates a property without a value when its owner is decoded; the property is omitted
        /// when its owner is encoded.
        public init(from decoder: any Decoder) throws { wrappedValue = nil }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
#endif
