// The bit fields of the protocol, with the bits defined in bridge_protocol.h.

import CBridgeProtocol

/// The capabilities of a device or a host beyond the base protocol. Unknown bits are ignored (SPEC
/// 4.2).
public struct Features: OptionSet, Hashable, Sendable {
    /// The bits of the features as they are transmitted, even if this version does not define all
    /// of the bits.
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Support for REVISE.
    public static let revise = Features(rawValue: UInt32(BRIDGE_FEATURE_REVISE))
    /// Support for CALIBRATE and DIAGNOSE.
    public static let calibration = Features(rawValue: UInt32(BRIDGE_FEATURE_CALIBRATION))
    /// Support for SAVE and LOCK, whose effects survive a loss of power.
    public static let storage = Features(rawValue: UInt32(BRIDGE_FEATURE_STORAGE))
    /// Support for ENTER_BOOTLOADER.
    public static let bootloader = Features(rawValue: UInt32(BRIDGE_FEATURE_BOOTLOADER))
    /// The device supports actuators whose frequency follows the sharpness (SPEC 8.9).
    public static let band = Features(rawValue: UInt32(BRIDGE_FEATURE_BAND))
    /// An accelerometer has been found on the bus of the chips.
    public static let sensor = Features(rawValue: UInt32(BRIDGE_FEATURE_SENSOR))
}

/// The faults that have occurred on the device. Faults remain latched until they are cleared (SPEC
/// 9).
public struct Faults: OptionSet, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The bits of the faults as they are transmitted, even if this version does not define all of
    /// the bits.
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A stream ran out of events before END (SPEC 6.4).
    public static let underrun = Faults(rawValue: UInt16(BRIDGE_FAULT_UNDERRUN))
    /// A write was later than `LATE_US` (SPEC 6.6).
    public static let late = Faults(rawValue: UInt16(BRIDGE_FAULT_LATE))
    /// A tap was skipped because the tap was late (SPEC 6.6).
    public static let tapSkipped = Faults(rawValue: UInt16(BRIDGE_FAULT_TAP_SKIPPED))
    /// The dead-man timeout elapsed: no valid frame arrived for `DEAD_MAN_US` while an actuator was
    /// awake or calibrating (SPEC 9).
    public static let deadMan = Faults(rawValue: UInt16(BRIDGE_FAULT_DEAD_MAN))
    /// A transfer on the bus failed.
    public static let bus = Faults(rawValue: UInt16(BRIDGE_FAULT_BUS))
    /// No chip responded, or a chip with an unknown id responded.
    public static let noChip = Faults(rawValue: UInt16(BRIDGE_FAULT_NO_CHIP))
    /// A chip was rejected as unsuitable (SPEC 8.4).
    public static let wrongChip = Faults(rawValue: UInt16(BRIDGE_FAULT_WRONG_CHIP))
    /// The value that was read back from a register of a chip differed from the written value (SPEC
    /// 8.4).
    public static let readBack = Faults(rawValue: UInt16(BRIDGE_FAULT_READ_BACK))
    /// A chip has been reset unexpectedly.
    public static let chipReset = Faults(rawValue: UInt16(BRIDGE_FAULT_CHIP_RESET))
    /// A chip reported over-temperature.
    public static let overTemperature = Faults(rawValue: UInt16(BRIDGE_FAULT_OVER_TEMPERATURE))
    /// A chip reported over-current.
    public static let overCurrent = Faults(rawValue: UInt16(BRIDGE_FAULT_OVER_CURRENT))
    /// An actuator could not be brought to rest (SPEC 9).
    public static let rest = Faults(rawValue: UInt16(BRIDGE_FAULT_REST))
    /// An event was malformed and was skipped (SPEC 7.4).
    public static let event = Faults(rawValue: UInt16(BRIDGE_FAULT_EVENT))
    /// The energy budget of an actuator has limited its levels (SPEC 8.2).
    public static let budget = Faults(rawValue: UInt16(BRIDGE_FAULT_BUDGET))
    /// A configuration or a lock could not be stored, or a stored lock is corrupted (SPEC 8.5,
    /// 8.6).
    public static let storage = Faults(rawValue: UInt16(BRIDGE_FAULT_STORAGE))
    /// SDA and SCL are swapped: a chip acknowledged its address on swapped lines (SPEC 9).
    public static let swappedWires = Faults(rawValue: UInt16(BRIDGE_FAULT_SWAPPED_WIRES))

    private static let names: [(Faults, String)] = [
        (.underrun, "underrun"), (.late, "late write"), (.tapSkipped, "tap skipped"),
        (.deadMan, "dead-man"), (.bus, "bus error"), (.noChip, "no chip"),
        (.wrongChip, "wrong chip"), (.readBack, "read-back differs"),
        (.chipReset, "chip reset"), (.overTemperature, "over-temperature"),
        (.overCurrent, "over-current"), (.rest, "did not come to rest"),
        (.event, "malformed event"), (.budget, "level limited by the energy budget"),
        (.storage, "storage failed"), (.swappedWires, "SDA and SCL are swapped"),
    ]

    /// A text that lists the latched faults in the order of their bits. Unknown bits are omitted.
    public var description: String {
        Self.names.filter { contains($0.0) }.map { $0.1 }.joined(separator: ", ")
    }
}

/// The bits of STATUS.state (SPEC 4.5).
public struct DeviceState: OptionSet, Hashable, Sendable {
    /// The bits of the state as they are transmitted.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// An actuator is muted.
    public static let muted = DeviceState(rawValue: 1 << 0)
    /// An actuator is awake, coming to rest or calibrating.
    public static let awake = DeviceState(rawValue: 1 << 1)
    /// An actuator is being driven, either by a level above 0 or by a calibration.
    public static let driving = DeviceState(rawValue: 1 << 2)
    /// The I2C bus runs at 100 kHz, because two attempts to set up the chips at 400 kHz failed for
    /// every chip.
    public static let slowBus = DeviceState(rawValue: 1 << 3)
}

/// A set of actuators; bit n represents actuator n (SPEC 6).
public struct ActuatorMask: OptionSet, Hashable, Sendable {
    /// The bits of the set; bit n represents actuator n.
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Creates the set that contains one actuator, 0 to 15.
    public init(index: Int) { rawValue = 1 << UInt16(index) }

    /// The maximum number of actuators of a board.
    package static let countMax = Int(BRIDGE_ACTUATORS_MAX)

    /// The set that contains all possible actuators.
    public static let all = ActuatorMask(rawValue: .max)

    /// The numbers of the actuators in the set, in ascending order.
    public var indices: [UInt8] {
        (0..<UInt8(BRIDGE_ACTUATORS_MAX)).filter { rawValue >> $0 & 1 == 1 }
    }
}
