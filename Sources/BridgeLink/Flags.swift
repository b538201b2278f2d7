// The bit fields of the protocol, with the bits of bridge_protocol.h.

import CBridgeProtocol

/// What a device or host can do beyond the base protocol; unknown bits are ignored (SPEC 4.2).
public struct Features: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let revise = Features(rawValue: UInt32(BRIDGE_FEATURE_REVISE))
    public static let calibration = Features(rawValue: UInt32(BRIDGE_FEATURE_CALIBRATION))
    /// SAVE survives power loss.
    public static let storage = Features(rawValue: UInt32(BRIDGE_FEATURE_STORAGE))
    public static let bootloader = Features(rawValue: UInt32(BRIDGE_FEATURE_BOOTLOADER))
}

/// What has gone wrong on the device, latched until cleared (SPEC 9).
public struct Faults: OptionSet, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let underrun = Faults(rawValue: UInt16(BRIDGE_FAULT_UNDERRUN))
    public static let late = Faults(rawValue: UInt16(BRIDGE_FAULT_LATE))
    public static let tapSkipped = Faults(rawValue: UInt16(BRIDGE_FAULT_TAP_SKIPPED))
    public static let deadMan = Faults(rawValue: UInt16(BRIDGE_FAULT_DEAD_MAN))
    public static let bus = Faults(rawValue: UInt16(BRIDGE_FAULT_BUS))
    public static let noChip = Faults(rawValue: UInt16(BRIDGE_FAULT_NO_CHIP))
    public static let wrongChip = Faults(rawValue: UInt16(BRIDGE_FAULT_WRONG_CHIP))
    public static let readBack = Faults(rawValue: UInt16(BRIDGE_FAULT_READ_BACK))
    public static let chipReset = Faults(rawValue: UInt16(BRIDGE_FAULT_CHIP_RESET))
    public static let overTemperature = Faults(rawValue: UInt16(BRIDGE_FAULT_OVER_TEMPERATURE))
    public static let overCurrent = Faults(rawValue: UInt16(BRIDGE_FAULT_OVER_CURRENT))
    public static let rest = Faults(rawValue: UInt16(BRIDGE_FAULT_REST))
    public static let event = Faults(rawValue: UInt16(BRIDGE_FAULT_EVENT))
    public static let budget = Faults(rawValue: UInt16(BRIDGE_FAULT_BUDGET))
    public static let storage = Faults(rawValue: UInt16(BRIDGE_FAULT_STORAGE))

    private static let names: [(Faults, String)] = [
        (.underrun, "underrun"), (.late, "late write"), (.tapSkipped, "tap skipped"),
        (.deadMan, "dead-man"), (.bus, "bus error"), (.noChip, "no chip"),
        (.wrongChip, "wrong chip"), (.readBack, "read-back differs"),
        (.chipReset, "chip reset"), (.overTemperature, "over-temperature"),
        (.overCurrent, "over-current"), (.rest, "did not come to rest"),
        (.event, "event not understood"), (.budget, "level held back by the energy budget"),
        (.storage, "configuration could not be stored"),
    ]

    /// The latched faults in words, by bit; unknown bits are left out.
    public var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// STATUS.state (SPEC 4.5).
public struct DeviceState: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let muted = DeviceState(rawValue: 1 << 0)
    /// An actuator is awake.
    public static let awake = DeviceState(rawValue: 1 << 1)
    /// An actuator is driven at a level above 0.
    public static let driving = DeviceState(rawValue: 1 << 2)
}

/// A set of actuators, bit n for actuator n (SPEC 6).
public struct ActuatorMask: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The set of one actuator, 0 to 15.
    public init(index: Int) { rawValue = 1 << UInt16(index) }

    /// Every actuator there can be.
    public static let all = ActuatorMask(rawValue: .max)

    /// The numbers of the actuators in the set, ascending.
    public var indices: [UInt8] {
        (0..<UInt8(BRIDGE_ACTUATORS_MAX)).filter { rawValue >> $0 & 1 == 1 }
    }
}
