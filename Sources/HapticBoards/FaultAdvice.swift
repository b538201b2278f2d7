// FaultAdvice: the problems that a board's faults indicate, and their remedies.

import BridgeLink

extension Faults {
    /// The faults of a driver or an actuator that end playback.
    package static let ofDriver: Faults = [
        .swappedWires, .noChip, .wrongChip, .readBack, .chipReset, .overTemperature, .overCurrent,
        .rest,
    ]

    /// The kinds of problems that faults indicate.
    package enum Meaning: Sendable {
        case actuatorFault, supplyFault, noDriver, inputOutput
    }

    /// The kind of problem that the most serious of the faults indicates.
    package var meaning: Meaning { explanation(on: .unknown).meaning }

    /// Returns the remedies for the faults, one sentence per element.
    ///
    /// - Parameter kind: the kind of the board; the advice contains the labels of its pins.
    package func advice(on kind: BoardKind) -> [String] { explanation(on: kind).advice }

    /// The wrong connection that the faults indicate; nil if the faults indicate no wrong
    /// connection.
    package var wiringCause: String? {
        if contains(.swappedWires) { return "SDA and SCL are swapped at the driver" }
        guard isSuperset(of: [.noChip, .readBack]) else { return nil }
        return
            "the driver acknowledges its address but ignores all data: its EN pin is not connected"
    }

    private func explanation(on kind: BoardKind) -> (meaning: Meaning, advice: [String]) {
        if contains(.overCurrent) {
            return (
                .actuatorFault,
                [
                    "the actuator or its wires are shorted: unplug the board and measure between "
                        + "OUT+ and OUT-; at least 8 ohms are correct",
                    "do not drive the actuator until the short circuit is removed",
                ]
            )
        }
        if contains(.overTemperature) {
            return (
                .actuatorFault,
                ["the driver is too hot: let it cool down, and check for a short circuit"]
            )
        }
        if contains(.chipReset) {
            return (
                .supplyFault,
                [
                    "the supply of the driver failed while it drove the actuator: the driver needs "
                        + "200 mA at 3 V or more",
                    "common causes are an unpowered hub, a long thin cable or an empty battery",
                ]
            )
        }
        if contains(.wrongChip) {
            return (
                .noDriver,
                ["a DRV2605 or DRV2605L is required; a DRV2604 is not supported"]
            )
        }
        if let wiringCause {
            return (
                .noDriver,
                [
                    wiringCause, kind.wiringAdvice,
                    "after the correction, reset the board",
                ]
            )
        }
        if !isDisjoint(with: [.noChip, .bus, .readBack]) {
            return (
                .noDriver,
                [
                    kind.wiringAdvice,
                    "both bus lines need pull-up resistors, which most breakouts have",
                ]
            )
        }
        if contains(.storage) {
            return (
                .inputOutput,
                [
                    "a cell of the board's memory is worn out: the board plays, but after a loss "
                        + "of power, it has the previously stored configuration"
                ]
            )
        }
        if contains(.deadMan) {
            return (
                .inputOutput,
                [
                    "this computer sent nothing for 250 ms (asleep or too busy); play the pattern "
                        + "again"
                ]
            )
        }
        return (
            .inputOutput, ["`bridge info` shows more; check wiring, supply and actuator"]
        )
    }
}
