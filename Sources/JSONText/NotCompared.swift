// NotCompared: a property that is ignored when its owner is compared.

/// A property that is ignored when its owner is compared.
///
/// For example, a comparison of two events ignores the locations of the events in their files.
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
        /// Creates a property without a value, regardless of the encoded value.
        public init(from decoder: any Decoder) throws { wrappedValue = nil }

        /// Encodes null instead of the value.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }
#endif
