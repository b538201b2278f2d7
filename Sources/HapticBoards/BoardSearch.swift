// BoardSearch: finds the port of a board by the name of the port, or by the board's answer.

import BridgeLink
import POSIX
import SerialPorts

/// The search for boards. Because many devices reset when their port is opened, the search does not
/// open ports that may belong to other devices.
///
/// A search opens a port only if the port has the USB id of a board, or if a board has answered on
/// this port before (``RememberedBoards``). A USB serial adapter may be connected to any device,
/// such as a printer or an instrument. The port of an adapter is opened only if the caller names
/// the port or requests a search of adapters. A port that another program uses is never opened.
public enum BoardSearch {
    /// The environment variable that names a port.
    public static let portVariable = "BRIDGE_PORT"

    /// A port that was probed, and the outcome of the probe.
    public struct Answer {
        /// The port that was probed.
        public var port: PortDescription
        /// The connected board, or the reason why there is none: `TransportError`, `LinkEnd` or
        /// `CancellationError`.
        public var outcome: Result<HapticBoard, any Error>
    }

    /// Connects to the board on `port`, or else on the port that `BRIDGE_PORT` names, or else to
    /// the only board that answers.
    ///
    /// - Parameters:
    ///   - port: a serial port or the pseudo-terminal of a virtual board.
    ///   - searchesAdapters: true if the search also opens the ports of adapters, which may be
    ///     connected to other devices.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false, the
    ///     search is abandoned.
    /// - Throws: `TransportError` or `LinkEnd` for a named port, otherwise ``BoardSearchError``;
    ///   `CancellationError` if the search was abandoned.
    public static func connect(
        port: String? = nil, searchesAdapters: Bool = false, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try PortEnvironment().connect(
            port: port ?? environmentPort, searchesAdapters: searchesAdapters, while: isWanted)
    }

    /// Connects to the board with a given USB serial number. The port of the board is treated like
    /// a named port.
    ///
    /// - Throws: the errors of ``connect(port:searchesAdapters:while:)``; ``BoardSearchError`` if
    ///   no board, or more than one board, has this serial number.
    public static func connect(
        serialNumber: String, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try PortEnvironment().connect(serialNumber: serialNumber, while: isWanted)
    }

    /// Connects to the board that answers with a given id (WELCOME), which `bridge info` shows. All
    /// ports of the search are probed at the same time.
    ///
    /// - Throws: the errors of ``connect(port:searchesAdapters:while:)``; ``BoardSearchError`` if
    ///   no board has this id.
    public static func connect(
        boardID: UInt64, searchesAdapters: Bool = false, while isWanted: () -> Bool = { true }
    ) throws -> HapticBoard {
        try PortEnvironment().connect(
            boardID: boardID, searchesAdapters: searchesAdapters, while: isWanted)
    }

    /// The port that the environment variable `BRIDGE_PORT` names; nil if the variable is not set.
    public static var environmentPort: String? {
        HostProgram.current.variable(portVariable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Lists the serial ports of this computer and indicates which of these ports a search opens.
    /// No port is opened.
    ///
    /// - Throws: `TransportError` if the system cannot list the ports.
    public static func ports() throws(TransportError) -> SearchedPorts {
        try PortEnvironment().ports()
    }

    /// Sends HELLO to several ports at the same time and waits for every answer. Ports on which a
    /// board answers are stored in the list of remembered boards.
    ///
    /// Ports that are in use, or that this user may not open, are reported as such and not opened.
    ///
    /// - Parameters:
    ///   - ports: the ports to probe.
    ///   - isWanted: a closure that is called repeatedly. When the closure returns false, the
    ///     outcome of the ports that have not answered is `CancellationError`.
    public static func probe(
        _ ports: [PortDescription], while isWanted: () -> Bool = { true }
    ) -> [Answer] {
        PortEnvironment().probe(ports, while: isWanted)
    }
}

/// The serial ports of this computer, each with the information whether a search opens it.
public struct SearchedPorts: Sendable {
    /// All serial ports, sorted by path.
    public let all: [PortDescription]
    /// The ports on which a board has answered before.
    public let remembered: RememberedBoards

    /// Returns whether a search opens a port.
    ///
    /// - Parameters:
    ///   - port: the port.
    ///   - searchesAdapters: true if the search also opens the ports of adapters.
    public func isSearched(_ port: PortDescription, searchesAdapters: Bool = false) -> Bool {
        port.isBoard || remembered.contains(port) || searchesAdapters && port.isCandidate
    }

    /// Returns the ports that a search opens.
    public func searched(searchesAdapters: Bool = false) -> [PortDescription] {
        all.filter { isSearched($0, searchesAdapters: searchesAdapters) }
    }

    /// The ports of adapters that are opened only on request.
    public var unopened: [PortDescription] { all.filter { $0.isCandidate && !isSearched($0) } }
}
