// Names of Core Haptics that are types of their own: keys, event types, parameters.

import Foundation

/// A name that Core Haptics gives to something, as a type of its own around a string.
///
/// A name of any spelling can be made; one that does not exist is refused, or ignored, where it is
/// used. In dictionaries it can be cast from and to a string, as on Apple's systems.
public protocol HapticName: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
    _ObjectiveCBridgeable
where RawValue == String, _ObjectiveCType == NSString {
    /// Makes the name of a spelling, which need not exist.
    init(rawValue: String)
}

extension HapticName {
    /// The spelling.
    public var description: String { rawValue }
}

// The standard library's requirements for casts; without Objective-C, Foundation uses them too.
// swift-format-ignore: NoLeadingUnderscores
extension HapticName {
    /// The spelling, for Foundation.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// The name of a spelling that comes from Foundation.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// The name of a spelling that comes from Foundation; always succeeds.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout Self?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// The name of a spelling that comes from Foundation; the empty name for none.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        Self(rawValue: source.map { "\($0)" } ?? "")
    }
}
