// The capabilities of the hardware: Core Haptics' protocol, and this library's implementation.

import Foundation
import HapticBoards
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
    /// True if there is hardware that can play haptic events.
    ///
    /// As in Core Haptics, this is about the hardware alone: it stays true while the user has
    /// haptics off, because engines then play silently and go on where the user turns them on
    /// again. ``isMutedByUser`` tells whether anything is felt.
    var supportsHaptics: Bool { get }
    /// True if an engine of the device starts without hardware, as a preview: nothing is felt, and
    /// ``HapticEngine/output(atTime:)`` shows what would be. False where ``supportsHaptics`` is
    /// true.
    var isPreview: Bool { get }
    /// True if nothing is felt at present because the user's settings say so, or another program
    /// asks for silence, so that an app gives its feedback in another way.
    var isMutedByUser: Bool { get }
    /// True if audio events are heard: the program has installed sound, and there is a device for it.
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

extension HapticDeviceCapability {
    /// False, for a type of an app that describes hardware.
    public var isPreview: Bool { false }

    /// True if the user's settings, or a program's request for silence, leave nothing to be felt at
    /// present. A file of settings that is refused says nothing.
    public var isMutedByUser: Bool {
        (try? HapticSettings(file: HapticSettings.file))?.effective(at: hostClock.date).isFelt
            == false
    }
}

/// The Core Haptics name of ``HapticDeviceCapability``.
public typealias CHHapticDeviceCapability = HapticDeviceCapability
/// The Core Haptics name of ``HapticParameterAttributes``.
public typealias CHHapticParameterAttributes = HapticParameterAttributes
