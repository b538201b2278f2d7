// The protocol of Core Haptics' string types: keys, event types and parameter ids.

import Foundation

/// A type that wraps a string that Core Haptics uses as a name.
///
/// A name can have any spelling. The code that uses a name rejects or ignores an unknown name. In
/// dictionaries, a name can be cast from and to a string, as on Apple's systems.
public protocol HapticName: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
    _ObjectiveCBridgeable
where RawValue == String, _ObjectiveCType == NSString {
    /// Creates a name from a spelling, which may be unknown.
    init(rawValue: String)
}

extension HapticName {
    /// The spelling of the name.
    public var description: String { rawValue }
}

// Requirements of the standard library for casts. Foundation also uses these requirements on
// platforms without Objective-C. swift-format-ignore: NoLeadingUnderscores
extension HapticName {
    /// Returns the spelling as a Foundation string.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Converts a Foundation string to a name.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// Converts a Foundation string to a name. Always succeeds.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout Self?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// Converts a Foundation string to a name; nil becomes the empty name.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        Self(rawValue: source.map { "\($0)" } ?? "")
    }
}
