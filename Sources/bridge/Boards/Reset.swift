// bridge reset: resets a board.

import ArgumentParser
import BridgeLink
import HapticBridge
import SerialPorts
import ToolSupport

struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reset a board by its DTR line, and wait until it answers.",
        discussion: """
            Brings the actuators to rest. Unsaved configurations are lost. Boards with native USB \
            do not reset by DTR: press their reset button.

            Example:
              bridge reset --port /dev/ttyACM0
            """)

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        guard !board.virtual else {
            throw ToolError(
                .usage, "the virtual board starts with every command and needs no reset")
        }
        guard board.connected.boardID == nil else {
            throw ToolError(
                .usage,
                "--board-id requires an answer from the board, and therefore cannot choose the "
                    + "board to reset",
                advice: "choose the board with --port PATH or --serial NUMBER")
        }
        let port = try PortSearch(searchesAdapters: board.connected.searchAdapters).port(
            named: try board.connected.onlyPort(), serial: board.connected.serial)
        guard !NetworkAddress.isMeant(by: port) else {
            throw ToolError(
                .usage, "\(port): the DTR line that resets a board is not available over TCP",
                advice: "reset the board at the computer to which it is connected")
        }
        try BoardOptions.release(port)
        do {
            let transport = try openPort(port)
            guard let serial = transport as? SerialPort else {
                transport.close()
                throw ToolError(
                    .usage, "\(port): not a serial port, so it has no DTR line",
                    advice: "send SIGUSR1 to virtual-board to reset it")
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
        guard !welcome.kind.hasOwnUSB else {
            throw ToolError(
                .inputOutput, "\(board.path): a \(welcome.kind) does not reset by DTR",
                advice: "press the reset button of the board, or unplug the board for a moment")
        }
        // The cause may be unknown, because a boot loader may prevent the firmware from detecting
        // that the reset pin was the cause.
        guard [.external, .unknown].contains(welcome.resetCause) else {
            throw ToolError(
                .inputOutput,
                "\(board.path): the board did not reset (its last start was after "
                    + "\(welcome.resetCause))",
                advice: "press the reset button of the board; its DTR line may not be connected to "
                    + "reset")
        }
        try output.result(
            [
                "schema": "bridge.reset/1", "board": .string(board.path),
                "boot_count": .number(welcome.bootCount),
                "reset_cause": .name(welcome.resetCause),
            ],
            text:
                "\(board.path): the board was reset; this is its start number \(welcome.bootCount)")
    }
}
