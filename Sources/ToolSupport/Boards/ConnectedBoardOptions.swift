// ConnectedBoardOptions: the options that select a connected board.

import ArgumentParser
import BoardSharing
import BridgeLink
import HapticBridge
import SerialPorts

/// The options that select a connected board: a board at a named port, or the only board that
/// answers.
package struct ConnectedBoardOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .customLong("port")],
        help: ArgumentHelp(
            "The port of the board: a serial port, the path that virtual-board prints, or tcp://HOST:PORT.",
            discussion: """
                At tcp://HOST:PORT, a device server (for example ser2net) relays the bytes to and \
                from the board. Without this option, the port in BRIDGE_PORT is used, or else the \
                only board that answers. The search opens ports with the USB id of a board, and \
                ports where a board has answered before. `bridge play` accepts the option several \
                times, once for each board.
                """,
            valueName: "path"))
    package var ports: [String] = []

    @Option(
        help: ArgumentHelp(
            "The file with the key for a board that another computer serves at tcp://HOST:PORT.",
            discussion:
                "The default is the file that BRIDGE_KEY_FILE names. `bridge serve --tcp` creates "
                + "a key.",
            valueName: "file"))
    package var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "The USB serial number of the board, which can be at any port.",
            discussion: "`bridge list --json` shows the numbers.", valueName: "number"))
    package var serial: String?

    @Option(
        help: ArgumentHelp(
            "The id of the board as shown by `bridge info`; the board can be at any port.",
            valueName: "id"))
    package var boardID: BoardID?

    @Flag(help: .searchAdapters)
    package var searchAdapters = false

    package init() {}

    package func validate() throws {
        // All code that connects to a board reads the name of the key file from this environment
        // variable.
        if let keyFile { HostProgram.current.setVariable(RemoteKey.variable, to: keyFile) }
        if choices.count > 1 {
            throw ValidationError("\(choices[0]) and \(choices[1]) cannot be combined.")
        }
        if let twice = ports.first(where: { port in ports.count { $0 == port } > 1 }) {
            throw ValidationError("--port \(twice) is given twice.")
        }
    }

    /// The names of the given options that select a board.
    private var choices: [String] {
        let choices = [
            ports.isEmpty ? nil : "--port", serial.map { _ in "--serial" },
            boardID.map { _ in "--board-id" },
        ]
        return choices.compactMap(\.self)
    }

    /// The name of the option that selects a board; nil if no option selects a board.
    package var chosenBy: String? { choices.first }

    /// Returns the named port; nil if no port is named. Throws `ToolError` if several ports are
    /// named.
    package func onlyPort() throws(ToolError) -> String? {
        guard ports.count <= 1 else {
            throw ToolError(.usage, "this command uses a single board: specify one --port")
        }
        return ports.first
    }

    /// Returns the board at the given port; without a port, the board that the other options
    /// select.
    package func device(at port: String?) -> HapticDevice {
        if let port { return .port(port) }
        if let serial { return .serialNumber(serial) }
        return boardID.map { .boardID($0.value) } ?? .automatic
    }
}
