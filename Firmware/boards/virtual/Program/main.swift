// virtual-board: the firmware and a model of the chip behind a pseudo-terminal, in real time.
//
// To a host, the program is a serial port with a board. The first line of its output is the path of
// the port. The program ends on SIGTERM or SIGINT.

import ArgumentParser
import VirtualBoard

struct VirtualBoardProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-board",
        abstract: "Simulates a haptic board on a pseudo-terminal.",
        discussion: """
            Prints "device PATH" and runs until SIGTERM or SIGINT. Hosts can open and close PATH \
            at any time:
              virtual-board &
              bridge play --port PATH pattern.ahap
            SIGUSR1 presses the reset button of the board.

            The transmission of bytes takes the same time as at 250,000 baud. The actuator is an \
            LRA with a resonance of 170 Hz.
            """)

    @OptionGroup var options: VirtualBoardOptions

    @Option(
        help: ArgumentHelp(
            "Write the I2C transactions to a file, one per line.",
            discussion: """
                Each line contains the start and the end in microseconds since the board was powered, \
                the actuator, all bytes after START in hexadecimal, and 1 if all were \
                acknowledged, else 0.
                """,
            valueName: "file"))
    var trace: String?

    func run() throws {
        BoardSignals.prepare()
        let trace = try trace.map {
            try BusTrace($0) {
                "\($0.start) \($0.end) \($0.actuator) \($0.hexadecimal) \($0.isAcknowledged ? 1 : 0)"
            }
        }
        defer { trace?.close() }
        let terminal = try PseudoTerminalEnd(staysOpen: !options.resetOnOpen)
        let server = VirtualBoardServer(
            options.makeBoard(), at: terminal, resetsOnOpen: options.resetOnOpen,
            isResetPressed: BoardSignals.takeReset
        ) { try trace?.write($0) }
        printAtOnce("device \(terminal.path)")
        try server.serve { !BoardSignals.isStopRequested }
    }
}

VirtualBoardProgram.main()
