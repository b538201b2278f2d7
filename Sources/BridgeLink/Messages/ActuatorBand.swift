// ActuatorBand: the band of an actuator whose frequency follows the sharpness (SPEC 8.9).

import CBridgeProtocol

/// The band of an actuator, in the units of its configuration (SPEC 8.9).
public struct ActuatorBand: Hashable, Sendable {
    /// The law that relates sharpness to frequency. The device stores the law for hosts, but does
    /// not use it.
    public struct Law: WireCode {
        /// The code as it is transmitted, even if this version does not define the code.
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Equal steps in sharpness correspond to equal frequency ratios.
        public static let logarithmic = Law(BRIDGE_LAW_LOGARITHMIC)
        /// Equal steps in sharpness correspond to equal frequency differences.
        public static let linear = Law(BRIDGE_LAW_LINEAR)
        /// Sharpness 0 is 65 Hz and sharpness 1 is 300 Hz, limited to the band.
        public static let absolute = Law(BRIDGE_LAW_ABSOLUTE)

        /// The descriptions of the codes that this version defines.
        public static let names: [Law: String] = [
            .logarithmic: "logarithmic", .linear: "linear", .absolute: "absolute",
        ]
    }

    /// The frequency of sharpness 0 in the stream, in 0.1 Hz: the resonance of the configuration.
    public var lowest: UInt16
    /// The frequency of sharpness 255 in the stream, in 0.1 Hz.
    public var highest: UInt16
    /// The period of `highest`, in steps of 98.46 µs.
    public var shortestPeriod: UInt8
    /// The law that relates sharpness to frequency.
    public var law: Law

    /// Creates a band.
    public init(lowest: UInt16, highest: UInt16, shortestPeriod: UInt8, law: Law = .logarithmic) {
        (self.lowest, self.highest) = (lowest, highest)
        (self.shortestPeriod, self.law) = (shortestPeriod, law)
    }
}

extension ActuatorConfiguration {
    /// The band; nil unless the kind is `.wideBand`. A band is stored in the fields that describe the
    /// voltages of an ERM. A new value also determines the resonance.
    public var band: ActuatorBand? {
        get {
            guard kind == .wideBand else { return nil }
            return ActuatorBand(
                lowest: resonance, highest: startVoltage,
                shortestPeriod: UInt8(truncatingIfNeeded: runningVoltage),
                law: ActuatorBand.Law(rawValue: UInt8(runningVoltage >> 8)))
        }
        set {
            guard kind == .wideBand, let newValue else { return }
            (resonance, startVoltage) = (newValue.lowest, newValue.highest)
            runningVoltage =
                UInt16(newValue.law.rawValue) << 8 | UInt16(newValue.shortestPeriod)
        }
    }
}
