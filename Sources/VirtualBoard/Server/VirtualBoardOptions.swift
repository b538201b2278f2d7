// VirtualBoardOptions: the options that describe a virtual board.

import ArgumentParser
import BridgeLink
import DRV2605

/// The options of a virtual board on the command line of `virtual-board`.
package struct VirtualBoardOptions: ParsableArguments {
    @Flag(help: "Start without a configured actuator.")
    var unconfigured = false

    @Option(
        help: "The id of the chip: 3 (DRV2605) or 7 (DRV2605L). The firmware rejects other ids.")
    var chip: UInt8 = 7

    @Option(
        help: ArgumentHelp(
            "The number of actuators, 1 to 8. Several actuators are connected through a TCA9548A.",
            valueName: "number"
        ))
    var actuators: Int?

    @Option(
        help: ArgumentHelp(
            "The localities of the actuators, in order, which also "
                + "determine the number of actuators.",
            discussion: """
                leftHandle, rightHandle, leftTrigger, rightTrigger or default, separated by \
                commas.
                """,
            valueName: "names"))
    var localities: Localities?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "An actuator whose chip does not answer. May be repeated.",
            valueName: "number"))
    var dead: [Int] = []

    @Option(
        help: ArgumentHelp(
            "The number of streams. Defaults to the number of actuators.", valueName: "number"
        ))
    var streams: Int?

    @Option(help: ArgumentHelp("The 64-bit id of the board in hexadecimal.", valueName: "hex"))
    var id = "0123456789abcdef"

    @Flag(help: "Reset the board when a host opens the port, as an Arduino does.")
    package var resetOnOpen = false

    @Flag(help: "Connect D2 to GND: each reset erases the locks of the actuators.")
    var jumper = false

    package init() {}

    package func validate() throws {
        guard UInt64(id, radix: 16) != nil else {
            throw ValidationError("--id must be a number of up to 16 hexadecimal digits.")
        }
        let most = InProcessBoard.mostActuators
        guard 1...most ~= count, 1...count ~= streams ?? 1 else {
            throw ValidationError(
                "--actuators must be 1 to \(most), and --streams 1 to that number.")
        }
        guard actuatorLocalities.count <= count, actuatorLocalities.isEmpty || !unconfigured else {
            throw ValidationError("--localities requires a configured actuator for each locality.")
        }
        guard dead.allSatisfy({ 0..<count ~= $0 }) else {
            throw ValidationError("--dead must be the number of an actuator, counted from 0.")
        }
        guard chip < 8 else { throw ValidationError("--chip must be 0 to 7.") }
    }

    /// Creates the board, and boots it at board time 0.
    package func makeBoard() -> InProcessBoard {
        let board = InProcessBoard(options: options)
        board.hasJumper = jumper
        for actuator in dead { board.cutSupply(ofActuator: actuator) }
        return board
    }

    private var actuatorLocalities: [Locality] { localities?.list ?? [] }

    /// The number of actuators.
    private var count: Int { actuators ?? max(1, actuatorLocalities.count) }

    private var options: InProcessBoard.Options {
        var options = InProcessBoard.Options()
        options.chipID = chip
        (options.actuators, options.streams) = (count, streams)
        options.boardID = UInt64(id, radix: 16) ?? 0
        if !unconfigured {
            // VG1040003D: a 10 mm LRA with a resonance of 170 Hz and a rated voltage of 2.5 V rms.
            var actuator = ActuatorConfiguration(
                kind: .lra, resonance: 170, rated: 2500, overdrive: 3540,
                chip: HapticChip(deviceID: chip) ?? .drv2605L, name: "LRA 170 Hz")
            options.configuration = actuator.bytes
            for (index, locality) in actuatorLocalities.enumerated() {
                actuator.locality = locality
                options.configurations[UInt8(index)] = actuator.bytes
            }
        }
        return options
    }
}

/// The names of one or more localities, separated by commas.
package struct Localities: ExpressibleByArgument {
    let list: [Locality]

    package init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        list = names.compactMap { name in
            Locality.names.first { $0.value == name }?.key
        }
        guard list.count == names.count else { return nil }
    }
}
