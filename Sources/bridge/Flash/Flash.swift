// bridge flash: writes the firmware to a board.

import ArgumentParser
import BoardFlashing
import BridgeLink
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct Flash: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the firmware to a board.",
        discussion: """
            Writes the firmware that is part of this program, verifies it, and waits until the new \
            firmware answers. The board must be at the port that --port names. Without --port, the \
            board must be at the only port that may belong to a board of this kind.

            An Arduino Uno or Nano is flashed by avrdude, which must be installed, and receives an \
            id if it has none. The boot loader of old Nanos hangs after a watchdog reset. The \
            actuator is at rest in this state; to make the board answer again, unplug the board \
            and plug it in.

            A board with an RP2040 (pico and the others) receives a command to restart as a drive, \
            and the firmware is copied to the drive. A board with other firmware may ignore the \
            command. In this case, hold its BOOTSEL button while you plug it in, and flash it \
            again.

            Examples:
              bridge flash --board uno
              bridge flash --board nano-old --port /dev/ttyUSB0
              bridge flash --board pico
              bridge flash --board pico --actuators 4
            """)

    @Option(
        help: ArgumentHelp(
            "The board.",
            discussion: """
                nano-old is a Nano with a boot loader from before 2018. pico is a Pico or a \
                Pico W.
                """))
    var board: KnownBoard

    @Option(
        name: [.customShort("p"), .customLong("port")],
        help: ArgumentHelp(
            "The port of the board. Default: BRIDGE_PORT, or the only port that may be a board.",
            valueName: "path"))
    var port: String?

    @Flag(help: .searchAdapters)
    var searchAdapters = false

    @Option(
        help: ArgumentHelp(
            "The drive of a board that is already in its boot loader, for example /media/me/RPI-RP2.",
            valueName: "folder"))
    var drive: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of actuators; 2 or more need a TCA9548A. Default: 1.",
            valueName: "count"))
    var actuators: Int?

    @Flag(help: "Equivalent to --actuators 4.")
    var several = false

    @Option(
        help: ArgumentHelp(
            "A different firmware image, in Intel HEX format, or in UF2 format for an RP2040.",
            valueName: "file"))
    var image: String?

    @Flag(help: "Check everything and show the plan without flashing the board.")
    var dryRun = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard !several || actuators == nil else {
            throw ValidationError("--several and --actuators cannot be combined.")
        }
        guard (1...board.actuatorsMax).contains(actuatorCount) else {
            throw ValidationError(
                "the firmware for \(board.name) drives 1 to \(board.actuatorsMax) actuators.")
        }
        switch board.loader {
        case .arduino:
            guard actuatorCount == 1 || image == nil else {
                throw ValidationError(
                    "\(several ? "--several" : "--actuators") and --image cannot be combined: each "
                        + "chooses a firmware.")
            }
            guard drive == nil else {
                throw ValidationError(
                    "--drive is for boards with an RP2040, not for \(board.name).")
            }
        case .drive:
            guard drive == nil || port == nil else {
                throw ValidationError("--drive and --port cannot be combined.")
            }
        }
    }

    /// The number of actuators that the board will have.
    var actuatorCount: Int { actuators ?? (several ? 4 : 1) }

    func run() throws {
        let job = FlashJob(
            board: board, port: port, searchAdapters: searchAdapters, drive: drive,
            actuatorCount: actuatorCount, image: image, dryRun: dryRun, output: output)
        try job.run(show)
    }

    /// Prints the result: the new firmware's description of the board.
    private func show(_ flashed: FlashedBoard) throws {
        let (connected, size, time) = (flashed.board, flashed.size, flashed.time)
        let table = BoardFacts.table(connected.welcome, path: connected.path)
        try output.result(
            [
                "schema": "bridge.flash/1", "dry_run": false, "port": .string(connected.path),
                "drive": .string(flashed.drive?.path), "target": .string(board.name),
                "bytes": .number(size), "seconds": .thousandths(time / 1_000),
                "board": BoardFacts.json(connected.welcome),
            ],
            text: "\(connected.path): \(size) bytes written and verified in \(time.secondsText)\n"
                + table.text)
        for status in try connected.waitUntilSettled() where status.state == .unconfigured {
            output.remark(ToolError(unconfigured: status.actuator, at: connected.path))
        }
    }
}
