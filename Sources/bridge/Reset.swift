// bridge reset: starts a board anew.

import AHAP
import ArgumentParser
import BridgeLink
import HapticBridge

struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reset a board by its DTR line, and wait until it answers.",
        discussion: """
            Its actuators come to rest, and what was not saved is forgotten. Boards with USB of \
            their own do not reset by DTR: press their button.

            Example:
              bridge reset --port /dev/ttyACM0
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        guard !board.virtual else {
            throw ToolError(.usage, "the virtual board begins anew with every command")
        }
        guard board.boardID == nil else {
            throw ToolError(
                .usage, "a board is reset because it may not answer: name its port, not its id",
                advice: "--port PATH or --serial NUMBER")
        }
        let port = try board.search.port(named: try board.onlyPort(), serial: board.serial)
        do {
            let transport = try openPort(port)
            guard let serial = transport as? SerialPort else {
                transport.close()
                throw ToolError(
                    .usage, "\(port): no serial port, so that it has no DTR line",
                    advice: "virtual-board is reset by SIGUSR1")
            }
            try serial.pulseDTR()
            let board = try HapticBoard(serial)
            defer { board.close() }
            try show(board)
        } catch {
            throw ToolError(error, port: port)
        }
    }

    private func show(_ board: HapticBoard) throws {
        let welcome = board.welcome
        // A boot loader may hide that it was the reset pin.
        guard [.external, .unknown].contains(welcome.resetCause) else {
            throw ToolError(
                .inputOutput,
                "\(board.path): the board did not reset (its last start was after "
                    + "\(welcome.resetCause))",
                advice: "press its reset button; DTR may not be wired to reset on this board")
        }
        try output.result(
            [
                "schema": "bridge.reset/1", "board": .string(board.path),
                "boot_count": .number(welcome.bootCount),
                "reset_cause": .name(welcome.resetCause),
            ],
            text: "\(board.path): reset; start number \(welcome.bootCount)")
    }
}
