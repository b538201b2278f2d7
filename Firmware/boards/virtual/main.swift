// virtual-board: the firmware and a model of the chip behind a pseudo-terminal, in real time.
//
// To a host it is a serial port with a board at it. Its path is the first line of output; it
// leaves on SIGTERM or SIGINT.

import ArgumentParser
import BridgeLink
import VirtualBoard

struct VirtualBoardProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-board",
        abstract: "Serves a haptic board without hardware on a pseudo-terminal.",
        discussion: """
            Prints "device PATH" and runs until SIGTERM or SIGINT. Hosts come and go at PATH:
              virtual-board &
              bridge play --port PATH pattern.ahap
            SIGUSR1 presses the board's reset button.

            Bytes take the time that they take at 250,000 baud. The actuator is an LRA of 170 Hz.
            """)

    @Flag(help: "Start with an actuator that is not configured.")
    var unconfigured = false

    @Option(help: "The chip's id: 3 is a DRV2605, 7 a DRV2605L; others are refused by the board.")
    var chip: UInt8 = 7

    @Option(
        help: ArgumentHelp(
            "How many actuators it has, 1 to 8. Several are behind a TCA9548A.", valueName: "number"
        ))
    var actuators: Int?

    @Option(
        help: ArgumentHelp(
            "Where its actuators are, by their numbers; it has as many if nothing else is said.",
            discussion: """
                leftHandle, rightHandle, leftTrigger, rightTrigger or default, with commas between.
                """,
            valueName: "names"))
    var localities: Localities?

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "An actuator whose chip does not answer; may be said of several.",
            valueName: "number"))
    var dead: [Int] = []

    @Option(
        help: ArgumentHelp(
            "How many streams it has; as many as actuators if nothing is said.", valueName: "number"
        ))
    var streams: Int?

    @Option(help: ArgumentHelp("The board's 64-bit id in hexadecimal.", valueName: "hex"))
    var id = "0123456789abcdef"

    @Option(
        help: ArgumentHelp(
            "Write what the I2C bus carries to a file, one transaction a line.",
            discussion: """
                Fields: start and end in microseconds since the board has power, actuator, all \
                bytes after START in hexadecimal, and 1 if all were acknowledged, else 0.
                """,
            valueName: "file"))
    var trace: String?

    @Flag(help: "Reset the board when a host opens the port, as an Arduino does.")
    var resetOnOpen = false

    @Flag(help: "Connect D2 to GND: each reset erases the locks of its actuators.")
    var jumper = false

    func validate() throws {
        guard UInt64(id, radix: 16) != nil else {
            throw ValidationError("--id takes up to 16 hexadecimal digits.")
        }
        let most = InProcessBoard.mostActuators
        guard 1...most ~= count, 1...count ~= streams ?? 1 else {
            throw ValidationError("--actuators is 1 to \(most), --streams 1 to as many.")
        }
        guard places.count <= count, places.isEmpty || !unconfigured else {
            throw ValidationError("--localities are those of actuators that are configured.")
        }
        guard dead.allSatisfy({ 0..<count ~= $0 }) else {
            throw ValidationError("--dead is the number of an actuator, counted from 0.")
        }
        guard chip < 8 else { throw ValidationError("--chip is 0 to 7.") }
    }

    func run() throws {
        BoardSignals.prepare()
        let trace = try trace.map {
            try BusTrace($0) {
                "\($0.start) \($0.end) \($0.actuator) \($0.hexadecimal) \($0.isAcknowledged ? 1 : 0)"
            }
        }
        let board = InProcessBoard(options: options)
        board.hasJumper = jumper
        for actuator in dead { board.cutSupply(ofActuator: actuator) }
        let server = try BoardServer(board, trace: trace, resetsOnOpen: resetOnOpen)
        printAtOnce("device \(server.path)")
        try server.serve()
    }

    private var places: [Locality] { localities?.places ?? [] }

    /// How many actuators there are.
    private var count: Int { actuators ?? max(1, places.count) }

    private var options: InProcessBoard.Options {
        var options = InProcessBoard.Options()
        options.chipID = chip
        (options.actuators, options.streams) = (count, streams)
        options.boardID = UInt64(id, radix: 16) ?? 0
        if !unconfigured {
            // VG1040003D: a 10 mm LRA of 170 Hz and 2.5 V rms.
            var actuator = ActuatorConfiguration(
                kind: .lra, resonance: 170, rated: 2500, overdrive: 3540,
                chip: HapticChip(deviceID: chip) ?? .drv2605L, name: "LRA 170 Hz")
            options.configuration = actuator.bytes
            for (index, place) in places.enumerated() {
                actuator.locality = place
                options.configurations[UInt8(index)] = actuator.bytes
            }
        }
        return options
    }
}

/// The names of several places, with commas between.
struct Localities: ExpressibleByArgument {
    let places: [Locality]

    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        places = names.compactMap { name in
            Locality.names.first { $0.value == name }?.key
        }
        guard places.count == names.count else { return nil }
    }
}

VirtualBoardProgram.main()
