// BoardOptions: the options that select the board of a command.

import ArgumentParser
import BoardSharing
import BridgeLink
import HapticBridge
import SerialPorts
import VirtualBoard

/// The options that select a board: a board at a named port, the only board that answers, or the
/// virtual board in this process.
package struct BoardOptions: ParsableArguments {
    /// Returns the command-line option that selects the board at a port, for commands in advice.
    package static func option(forPort port: String) -> String {
        port == VirtualTransport.name ? "--virtual" : "--port \(port)"
    }

    @OptionGroup package var connected: ConnectedBoardOptions

    @Flag(
        help:
            "Simulate a board in this process: the firmware with a model of the chip and the actuator."
    )
    package var virtual = false

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
    package var trace: String?

    package init() {}

    package func validate() throws {
        if virtual, let other = connected.chosenBy {
            throw ValidationError("\(other) and --virtual cannot be combined.")
        }
        if trace != nil && !virtual {
            throw ValidationError("--trace needs --virtual.")
        }
    }

    /// The name of the option that selects a board; nil if no option selects a board.
    package var chosenBy: String? { connected.chosenBy ?? (virtual ? "--virtual" : nil) }

    /// True if the options select a board.
    package var isChosen: Bool { chosenBy != nil }

    /// Returns the selected board for use by engines. Throws `ToolError` if several ports are
    /// named.
    ///
    /// - Parameter meter: the meter of the virtual board's drive.
    package func device(_ meter: DriveMeter = DriveMeter()) throws(ToolError) -> HapticDevice {
        guard virtual else { return connected.device(at: try connected.onlyPort()) }
        return HapticDevice(name: VirtualTransport.name) { [trace] in
            try HapticBoard(VirtualTransport(trace: trace, meter))
        }
    }

    /// The way in which a command uses a board that another program serves.
    package enum Sharing {
        /// Requests the serving program to release the board, and connects to the board directly.
        case alone
        /// Communicates with the board through the serving program.
        case shared
    }

    /// Connects to the board. Throws `ToolError`.
    package func connect(_ sharing: Sharing = .alone) throws(ToolError) -> HapticBoard {
        try connect(to: connected.onlyPort(), sharing)
    }

    /// Connects to every named board, or to the only board that answers. Throws `ToolError`.
    package func connectAll() throws(ToolError) -> [HapticBoard] {
        guard connected.ports.count > 1 else { return [try connect()] }
        var boards: [HapticBoard] = []
        for port in connected.ports {
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
        let knownPort =
            virtual ? VirtualTransport.name : port ?? (isChosen ? nil : BoardSearch.environmentPort)
        do {
            let board = try opened(at: port, sharing)
            // The properties of an actuator are known only after its initialization.
            try board.waitUntilSettled()
            return board
        } catch let failure as BusTrace.Failure {
            throw ToolError(.cannotCreate, failure.description)
        } catch {
            throw ToolError(error, port: knownPort)
        }
    }

    private func opened(at port: String?, _ sharing: Sharing) throws -> HapticBoard {
        if virtual { return try HapticBoard(VirtualTransport(trace: trace)) }
        if let path = connected.device(at: port).servedPort?(),
            BoardServerClient.isThere(port: path)
        {
            switch sharing {
            case .shared:
                if let board = try HapticBoard.served(at: path) { return board }
            case .alone: try Self.release(path)
            }
        }
        if let serial = connected.serial { return try BoardSearch.connect(serialNumber: serial) }
        return try PortSearch(searchesAdapters: connected.searchAdapters).searching {
            searchesAdapters in
            if let boardID = connected.boardID {
                return try BoardSearch.connect(
                    boardID: boardID.value, searchesAdapters: searchesAdapters)
            }
            return try BoardSearch.connect(port: port, searchesAdapters: searchesAdapters)
        }
    }

    /// Requests that the program that serves a board release its port, if there is such a program.
    /// Throws `ToolError` if the program is playing a pattern.
    package static func release(_ port: String) throws(ToolError) {
        do {
            try BoardServerClient.release(port: port)
        } catch let error as HapticError where NetworkAddress.isMeant(by: port) {
            throw ToolError(.busy, "\(port): \(error.message)")
        } catch let error as HapticError {
            throw ToolError(
                .busy, "\(port): \(error.message)",
                advice: "wait until the playback has finished, or end the program that plays; "
                    + "`bridge stop --port \(port)` stops the playback")
        } catch {
            throw ToolError(error, port: port)
        }
    }

    /// Connects to the board, runs `body`, and closes the connection. Throws `ToolError`.
    package func withBoard<Result>(
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
