// BoardOptions: the board with which a command communicates.

import ArgumentParser
import BridgeLink
import HapticBridge
import POSIX
import VirtualBoard

/// The options that select a board: the one at a named port, the one that answers, or the one in
/// this process.
struct BoardOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .customLong("port")],
        help: ArgumentHelp(
            "The port of the board: a serial port, the path that virtual-board prints, or tcp://HOST:PORT.",
            discussion: """
                At tcp://HOST:PORT, a device server (for example ser2net) passes the bytes of the \
                board on. Without the option, BRIDGE_PORT is used, or else the only board that answers. The search \
                opens ports with the USB id of a board, and ports where a board has answered \
                before. `bridge play` accepts the option several times, once for each board.
                """,
            valueName: "path"))
    var ports: [String] = []

    @Option(
        help: ArgumentHelp(
            "The key with which a board is used that another computer serves at tcp://HOST:PORT.",
            discussion: "BRIDGE_KEY_FILE names it too. `bridge serve --tcp` makes it.",
            valueName: "file"))
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "The USB serial number of the board, whatever its port.",
            discussion: "`bridge list --json` shows the numbers.", valueName: "number"))
    var serial: String?

    @Option(
        help: ArgumentHelp(
            "The id of the board as shown by `bridge info`, whatever its port.",
            valueName: "id"))
    var boardID: BoardID?

    @OptionGroup var search: SearchOptions

    @Flag(
        help:
            "Use a simulated board in this process: the firmware with a model of chip and actuator."
    )
    var virtual = false

    @Option(
        help: ArgumentHelp(
            "Write the I2C transactions of the virtual board to a file.",
            discussion: """
                Each line is one transaction: the time at which it started, in microseconds of \
                this computer's clock (CLOCK_BOOTTIME on Linux), a space, and all bytes after \
                START in hexadecimal, including addresses. A write of a value above 0 to register \
                0x02 ("b402" and two digits) drives the actuator.
                """,
            valueName: "file", visibility: .hidden))
    var trace: String?

    func validate() throws {
        // Everything that connects to a board takes the key from there.
        if let keyFile { setenv(RemoteKey.variable, keyFile, 1) }
        let choices =
            [ports.isEmpty ? nil : "--port", serial.map { _ in "--serial" }]
            + [boardID.map { _ in "--board-id" }, virtual ? "--virtual" : nil]
        let given = choices.compactMap(\.self)
        if given.count > 1 {
            throw ValidationError("\(given[0]) and \(given[1]) cannot be combined.")
        }
        if let twice = ports.first(where: { port in ports.count { $0 == port } > 1 }) {
            throw ValidationError("--port \(twice) is given twice.")
        }
        if trace != nil && !virtual {
            throw ValidationError("--trace needs --virtual.")
        }
    }

    /// Whether the options select a board.
    var isChosen: Bool { virtual || !ports.isEmpty || serial != nil || boardID != nil }

    /// The treatment of a board that another program serves.
    enum Sharing {
        /// The program is asked to let the board go.
        case alone
        /// The board is asked and stopped through the program.
        case shared
    }

    /// Connects to the board. Throws `ToolError`.
    func connect(_ sharing: Sharing = .alone) throws(ToolError) -> HapticBoard {
        try connect(to: onlyPort(), sharing)
    }

    /// Refuses `--virtual` for a command that lets other programs in. Throws `ValidationError`.
    func refuseVirtual() throws {
        guard !virtual else {
            throw ValidationError(
                "--virtual is a board of this process alone; `virtual-board` has a port.")
        }
    }

    /// Returns the named port; nil if none is named. Throws `ToolError` if several are.
    func onlyPort() throws(ToolError) -> String? {
        guard ports.count <= 1 else {
            throw ToolError(.usage, "this command uses a single board: give one --port")
        }
        return ports.first
    }

    /// Connects to every board that is named, or to the one that answers. Throws `ToolError`.
    func connectAll() throws(ToolError) -> [HapticBoard] {
        guard ports.count > 1 else { return [try connect()] }
        var boards: [HapticBoard] = []
        for port in ports {
            do {
                boards.append(try connect(to: port, .alone))
            } catch {
                for board in boards { board.close() }
                throw error
            }
        }
        return boards
    }

    private func connect(to port: String?, _ sharing: Sharing) throws(ToolError) -> HapticBoard {
        let place =
            virtual ? VirtualTransport.name : port ?? (isChosen ? nil : BoardSearch.environmentPort)
        do {
            let board = try opened(at: port, sharing)
            // The abilities of an actuator are known only once it is set up.
            for actuator in 0..<board.welcome.actuators { try board.waitUntilSettled(actuator) }
            return board
        } catch let failure as BusTrace.Failure {
            throw ToolError(.cannotCreate, failure.description)
        } catch {
            throw ToolError(error, port: place)
        }
    }

    private func opened(at port: String?, _ sharing: Sharing) throws -> HapticBoard {
        if virtual { return try HapticBoard(VirtualTransport(trace: trace)) }
        if let path = device(at: port).servedPort?(), ServedBoard.isThere(port: path) {
            switch sharing {
            case .shared:
                if let board = try HapticBoard.served(at: path) { return board }
            case .alone: try Self.release(path)
            }
        }
        if let serial { return try BoardSearch.connect(serialNumber: serial) }
        return try search.searching { searchesAdapters in
            if let boardID {
                return try BoardSearch.connect(
                    boardID: boardID.value, searchesAdapters: searchesAdapters)
            }
            return try BoardSearch.connect(port: port, searchesAdapters: searchesAdapters)
        }
    }

    /// Returns the board that the options select, at one of the named ports if there are several.
    func device(at port: String?) -> HapticDevice {
        if let port { return .port(port) }
        if let serial { return .serialNumber(serial) }
        return boardID.map { .boardID($0.value) } ?? .automatic
    }

    /// Has the port of a board let go by the program that serves it, if there is one. Throws
    /// `ToolError` if anything plays.
    static func release(_ port: String) throws(ToolError) {
        do {
            try ServedBoard.release(port: port)
        } catch let error as HapticError {
            throw ToolError(
                .busy, "\(port): \(error.message)",
                advice: "wait until it has finished, or end that program; "
                    + "`bridge stop --port \(port)` stops what plays")
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Connects, runs `body`, and releases the port. Throws `ToolError`.
    func withBoard<Result>(
        _ sharing: Sharing = .alone, _ body: (HapticBoard) throws -> Result
    ) throws(ToolError) -> Result {
        let board = try connect(sharing)
        defer { board.close() }
        do {
            return try body(board)
        } catch {
            throw ToolError(error, port: board.path)
        }
    }
}
