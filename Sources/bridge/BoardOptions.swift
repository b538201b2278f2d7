// BoardOptions: which board a command talks to.

import ArgumentParser
import BridgeLink
import HapticBridge
import VirtualBoard

/// The board: at a named port, the one that answers, or the one in this process.
struct BoardOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .customLong("port")],
        help: ArgumentHelp(
            "The board's port: a serial port, or the path that virtual-board prints.",
            discussion: """
                Else BRIDGE_PORT is used, else the one board that answers. A search opens ports \
                with the USB id of a board, and those where a board has answered before. \
                `bridge play` takes several, one option each.
                """,
            valueName: "path"))
    var ports: [String] = []

    @Option(
        help: ArgumentHelp(
            "The board by its USB serial number, at whatever port it is.",
            discussion: "`bridge list --json` shows the numbers.", valueName: "number"))
    var serial: String?

    @Option(
        help: ArgumentHelp(
            "The board by its id, at whatever port it is: as `bridge info` shows it.",
            valueName: "id"))
    var boardID: BoardID?

    @OptionGroup var search: SearchOptions

    @Flag(help: "Use a board in this process: the firmware with a model of the chip and actuator.")
    var virtual = false

    @Option(
        help: ArgumentHelp(
            "Write what the virtual board's I2C bus carries to a file.",
            discussion: """
                One line a transaction: the time at which it started, in microseconds of this \
                computer's clock (CLOCK_BOOTTIME on Linux), a space, and all bytes after START \
                in hexadecimal, addresses included. A write of register 0x02 with a value above 0 \
                ("b402" and two digits) drives the actuator.
                """,
            valueName: "file", visibility: .hidden))
    var trace: String?

    func validate() throws {
        let choices =
            [ports.isEmpty ? nil : "--port", serial.map { _ in "--serial" }]
            + [boardID.map { _ in "--board-id" }, virtual ? "--virtual" : nil]
        let given = choices.compactMap(\.self)
        if given.count > 1 {
            throw ValidationError("\(given[0]) and \(given[1]) exclude each other.")
        }
        if let twice = ports.first(where: { port in ports.count { $0 == port } > 1 }) {
            throw ValidationError("--port \(twice) is named twice.")
        }
        if trace != nil && !virtual {
            throw ValidationError("--trace needs --virtual.")
        }
    }

    /// Whether the board is said by options.
    var isChosen: Bool { virtual || !ports.isEmpty || serial != nil || boardID != nil }

    /// Connects to the board. Throws `ToolError`.
    func connect() throws(ToolError) -> HapticBoard { try connect(to: onlyPort()) }

    /// The port that is named, nil if none is. Throws `ToolError` if several are.
    func onlyPort() throws(ToolError) -> String? {
        guard ports.count <= 1 else {
            throw ToolError(.usage, "this command talks to one board: name one --port")
        }
        return ports.first
    }

    /// Connects to every board that is named, or to the one that answers. Throws `ToolError`.
    func connectAll() throws(ToolError) -> [HapticBoard] {
        guard ports.count > 1 else { return [try connect()] }
        var boards: [HapticBoard] = []
        for port in ports {
            do {
                boards.append(try connect(to: port))
            } catch {
                for board in boards { board.close() }
                throw error
            }
        }
        return boards
    }

    private func connect(to port: String?) throws(ToolError) -> HapticBoard {
        let place =
            virtual ? VirtualTransport.name : port ?? (isChosen ? nil : BoardSearch.environmentPort)
        do {
            let board = try opened(at: port)
            // What an actuator can do is known once it is set up.
            for actuator in 0..<board.welcome.actuators { try board.waitUntilSettled(actuator) }
            return board
        } catch let failure as BusTrace.Failure {
            throw ToolError(.cannotCreate, failure.description)
        } catch {
            throw ToolError(error, port: place)
        }
    }

    private func opened(at port: String?) throws -> HapticBoard {
        if virtual { return try HapticBoard(VirtualTransport(trace: trace)) }
        if let serial { return try BoardSearch.connect(serialNumber: serial) }
        return try search.searching { searchesAdapters in
            if let boardID {
                return try BoardSearch.connect(
                    boardID: boardID.value, searchesAdapters: searchesAdapters)
            }
            return try BoardSearch.connect(port: port, searchesAdapters: searchesAdapters)
        }
    }

    /// Connects, runs `body`, and gives the port back. Throws `ToolError`.
    func withBoard<Result>(_ body: (HapticBoard) throws -> Result) throws(ToolError) -> Result {
        let board = try connect()
        defer { board.close() }
        do {
            return try body(board)
        } catch {
            throw ToolError(error, port: board.path)
        }
    }
}
