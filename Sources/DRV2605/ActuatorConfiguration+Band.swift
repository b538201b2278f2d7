// Creates the configuration of an actuator whose frequency follows the sharpness (SPEC 8.9).

import BridgeLink
import CBridgeProtocol

extension ActuatorBand {
    /// Creates a band whose ends are rounded to frequencies that the chip can generate. If both ends
    /// are rounded to the same period, `lowest` is equal to `highest`.
    ///
    /// - Parameter range: frequencies in hertz, within ``ActuatorConfiguration/bands``.
    public init(rounding range: ClosedRange<Double>, law: Law = .logarithmic) {
        let longest = ChipFormulas.period(of: range.lowerBound)
        let shortest = ChipFormulas.period(of: range.upperBound)
        self.init(
            lowest: ChipFormulas.frequency(ofPeriod: longest),
            highest: ChipFormulas.frequency(ofPeriod: shortest), shortestPeriod: shortest, law: law)
    }
}

extension ActuatorConfiguration {
    /// The range of a band, in hertz.
    public static let bands =
        Double(BRIDGE_FREQUENCY_MIN) / 10...Double(BRIDGE_FREQUENCY_MAX) / 10

    /// Creates the configuration of an actuator that a DRV2605L drives in open loop, with a frequency
    /// that follows the sharpness.
    ///
    /// The rise time is 2.3 time constants of the plant, in which the actuator reaches 90 % of a
    /// level. Taps last two periods, but at least the rise time, because nothing overdrives the
    /// actuator in open loop. The brake time is twice the rise time, but at least 20 ms.
    ///
    /// - Parameters:
    ///   - band: the frequencies of sharpness 0 and 1, in hertz, within ``bands``. Each end is rounded
    ///     to a frequency that the chip can generate.
    ///   - law: the law that relates sharpness to frequency.
    ///   - rated: the rated rms voltage in millivolts.
    ///   - overdrive: the peak voltage in millivolts.
    ///   - plant: the description of the actuator's motion; nil for a time constant of 5 ms and an
    ///     acceleration of 1 g, which are estimates.
    public init(
        band: ClosedRange<Double>, law: ActuatorBand.Law = .logarithmic, rated: UInt16,
        overdrive: UInt16, locality: Locality = .default, name: String = "",
        plant: ActuatorPlant? = nil
    ) {
        let band = ActuatorBand(rounding: band, law: law)
        let plant = plant ?? ActuatorPlant(timeConstant: 5, acceleration: 1)
        let rise = max(1, (2.3 * plant.timeConstant).rounded())
        func tap(_ frequency: UInt16) -> UInt16 {
            UInt16(clamping: Int(max(2e7 / Double(frequency), 1_000 * rise).rounded()))
        }
        self.init(
            kind: .wideBand, locality: locality, resonance: band.lowest, rated: rated,
            overdrive: overdrive, tapDull: tap(band.lowest), tapSharp: tap(band.highest),
            rise: UInt8(min(rise, 255)), brake: UInt8(min(max(20, 2 * rise), 255)), onset: 750,
            image: RegisterImage(
                kind: .wideBand, resonance: Double(band.lowest) / 10, rated: Double(rated),
                overdrive: Double(overdrive), chip: .drv2605L, loop: .open),
            name: name)
        self.band = band
        self.plant = plant
    }

    /// An actuator with a band from 80 to 300 Hz at 2 V rms. It represents any actuator with a
    /// band.
    public static let wideBand = ActuatorConfiguration(
        band: 80...300, rated: 2_000, overdrive: 3_000, name: "80-300 Hz")
}
