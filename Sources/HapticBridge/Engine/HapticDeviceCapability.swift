// The capabilities of the hardware: the protocol of Core Haptics with this library's additions.

import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// The minimum, maximum and default value of a parameter.
public protocol HapticParameterAttributes {
    /// The minimum value. Lower values are raised to the minimum.
    var minValue: Float { get }
    /// The maximum value. Higher values are reduced to the maximum.
    var maxValue: Float { get }
    /// The value that applies if no value is set.
    var defaultValue: Float { get }
}

/// The capabilities of haptic hardware.
public protocol HapticDeviceCapability: Sendable {
    /// True if haptic hardware is present.
    ///
    /// As in Core Haptics, this property describes the hardware alone. The property remains true
    /// while the user has turned haptics off, because engines then play silently and can be felt
    /// again when the user turns haptics on. ``isMutedByUser`` reports the user's choice.
    var supportsHaptics: Bool { get }
    /// True if an engine of the device starts as a preview without hardware: nothing is felt, and
    /// ``HapticEngine/output(atTime:)`` returns the haptic output that a board would play. The
    /// property is false if ``supportsHaptics`` is true.
    var isPreview: Bool { get }
    /// True if the user's settings or another program's request for silence currently mute all
    /// haptics, so that an app can provide its feedback in another way.
    var isMutedByUser: Bool { get }
    /// True if audio events are audible: the program has called `HapticSound.install()`, and there
    /// is a sound device.
    var supportsAudio: Bool { get }

    /// Returns the range and the default of an event parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if events of this type do not have the
    ///   parameter, or `invalidEventType` for an unknown type.
    func attributes(
        forEventParameter parameter: CHHapticEvent.ParameterID,
        eventType type: CHHapticEvent.EventType
    ) throws -> any HapticParameterAttributes

    /// Returns the range and the default of a dynamic parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` for an unknown parameter.
    func attributes(
        forDynamicParameter parameter: CHHapticDynamicParameter.ID
    ) throws -> any HapticParameterAttributes
}

extension HapticDeviceCapability {
    /// False, which is the default for an app's own type that describes hardware.
    public var isPreview: Bool { false }

    /// True if the user's settings or another program's request for silence currently mute all
    /// haptics. A settings file that is rejected does not mute haptics.
    public var isMutedByUser: Bool {
        (try? HapticSettings(file: HapticSettings.file))?.effective(at: hostClock.date).isFelt
            == false
    }
}

/// The Core Haptics name of ``HapticDeviceCapability``.
public typealias CHHapticDeviceCapability = HapticDeviceCapability
/// The Core Haptics name of ``HapticParameterAttributes``.
public typealias CHHapticParameterAttributes = HapticParameterAttributes
