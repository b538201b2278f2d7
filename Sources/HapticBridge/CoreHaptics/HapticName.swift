// Names in Core Haptics that are types of their own: keys, event types, parameters.

import Foundation

/// A name in Core Haptics, as a type of its own around a string.
///
/// A name can have any spelling. One that does not exist is refused or ignored where it is used. In
/// dictionaries, a name can be cast from and to a string, as on Apple's systems.
public protocol HapticName: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
    _ObjectiveCBridgeable
where RawValue == String, _ObjectiveCType == NSString {
    /// Makes a name from a spelling, which need not exist.
    init(rawValue: String)
}

extension HapticName {
    /// The spelling of the name.
    public var description: String { rawValue }
}

// The standard library's requirements for casts; without Objective-C, Foundation uses them too.
// swift-format-ignore: NoLeadingUnderscores
extension HapticName {
    /// Returns the spelling for Foundation.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Converts a spelling from Foundation to a name.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        result = _unconditionallyBridgeFromObjectiveC(source)
    }

    /// Converts a spelling from Foundation to a name. Always succeeds.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout Self?
    ) -> Bool {
        result = _unconditionallyBridgeFromObjectiveC(source)
        return true
    }

    /// Converts a spelling from Foundation to a name; nil becomes the empty name.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        Self(rawValue: source.map { "\($0)" } ?? "")
    }
}
