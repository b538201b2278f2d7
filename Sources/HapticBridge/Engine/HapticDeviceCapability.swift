// The capabilities of the hardware: Core Haptics' protocol, and this library's implementation.

import Foundation
import HapticPatterns
import SerialPorts

/// The minimum, maximum and default value of a parameter.
public protocol HapticParameterAttributes {
    /// The least value. Lower values are raised to it.
    var minValue: Float { get }
    /// The greatest value. Higher values are reduced to it.
    var maxValue: Float { get }
    /// The value that applies if none is given.
    var defaultValue: Float { get }
}

/// The capabilities of haptic hardware.
public protocol HapticDeviceCapability: Sendable {
    /// Whether the hardware can play haptic events.
    var supportsHaptics: Bool { get }
    /// Whether the hardware can play audio events.
    var supportsAudio: Bool { get }

    /// Returns the range and the default of an event parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if events of that type do not have the
    ///   parameter, `invalidEventType` if there is no such type.
    func attributes(
        forEventParameter parameter: CHHapticEvent.ParameterID,
        eventType type: CHHapticEvent.EventType
    ) throws -> any HapticParameterAttributes

    /// Returns the range and the default of a dynamic parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if there is no parameter of that name.
    func attributes(
        forDynamicParameter parameter: CHHapticDynamicParameter.ID
    ) throws -> any HapticParameterAttributes
}

/// The Core Haptics name of ``HapticDeviceCapability``.
public typealias CHHapticDeviceCapability = HapticDeviceCapability
/// The Core Haptics name of ``HapticParameterAttributes``.
public typealias CHHapticParameterAttributes = HapticParameterAttributes
