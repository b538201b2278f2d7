// HapticDevice: the board that an engine plays on.

import BoardSharing
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// A board that an engine connects to when it is started.
public struct HapticDevice: Sendable {
    /// The program by which a board at a serial port is served to all programs of the user, so that its
    /// patterns play on when one of them ends. A board that another program serves already is shared
    /// with it in any case.
    public enum Server: Hashable, Sendable {
        /// The `bridge` tool, if it is installed: the one that the environment variable `BRIDGE_SERVER`
        /// names, the one beside the running program, or `haptic-bridge` in `PATH`. Without it, the
        /// running program serves the board.
        case installedTool
        /// A `bridge` tool that an app brings along, at a path.
        case tool(URL)
        /// The running program: no process is started.
        case ownProgram

        var program: ServerProgram? {
            switch self {
            case .installedTool: ServerProgram()
            case .tool(let place): ServerProgram(path: place.path)
            case .ownProgram: nil
            }
        }
    }

    /// The program by which the board is served to other programs.
    public private(set) var server = Server.installedTool

    /// Finds the program that is started to serve the board; nil for none.
    var serverProgram: @Sendable () -> ServerProgram? { { [server] in server.program } }

    /// Returns the device with another program that serves its board.
    /// ``HapticEngine/isServedByAnotherProgram`` tells which one does.
    public func served(by server: Server) -> HapticDevice {
        var device = self
        device.server = server
        return device
    }

    /// The name of the board in messages.
    public let name: String
    /// The way to the board.
    package let source: BoardSource
    /// The part that a preview has in the device.
    var preview: Preview
    /// Returns the capabilities of the board at present, without opening a port.
    let capability: @Sendable () -> BoardCapability

    /// Returns the path of the port at which the board is, so that another process may serve it; nil where that is
    /// not known. The closure is nil for a board to which only this process can connect.
    package var servedPort: (@Sendable () -> String?)? { source.servedPort }

    /// Makes a device for a board that `connect` finds. The engine's start throws the errors that
    /// `connect` throws.
    public init(name: String, connect: @escaping @Sendable () throws -> HapticBoard) {
        let identity = BoardIdentity.own(UUID())
        self.init(
            name: name, identity: { identity }, servedPort: nil, connect: { _ in try connect() })
    }

    init(
        name: String, preview: Preview = .never,
        identity: @escaping @Sendable () -> BoardIdentity,
        servedPort: (@Sendable () -> String?)?,
        capability: @escaping @Sendable () -> BoardCapability = { .possible },
        connect: @escaping @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    ) {
        self.name = name
        self.preview = preview
        source = BoardSource(identity: identity, servedPort: servedPort, connect: connect)
        self.capability = capability
    }

    /// The board at the port that `BRIDGE_PORT` names; or else the board whose port is named by
    /// engines of the program; or else the only board that answers. It is searched for as
    /// ``BoardSearch`` describes: no port is opened that may have another device than a board
    /// behind it.
    public static let automatic = automatic(on: Computer())

    static func automatic(on computer: Computer) -> HapticDevice {
        HapticDevice(
            name: "the board that answers",
            identity: { BoardSearch.environmentPort.map(BoardIdentity.init(port:)) ?? .automatic },
            servedPort: { BoardSearch.environmentPort ?? computer.onlyPort() },
            capability: { .present(on: computer) },
            connect: {
                try computer.connect(
                    port: BoardSearch.environmentPort, searchesAdapters: false, while: $0)
            })
    }

    /// Returns the board at a serial port, or at the pseudo-terminal of a virtual board.
    public static func port(_ path: String) -> HapticDevice {
        HapticDevice(
            name: path, identity: { BoardIdentity(port: path) }, servedPort: { path },
            capability: { .present(named: path) },
            connect: { try BoardSearch.connect(port: path, while: $0) })
    }

    /// Returns the board with a given USB serial number, at whatever port it is when an engine
    /// starts. `bridge list --json` shows the numbers. The number of an adapter stands for the
    /// board behind it.
    public static func serialNumber(_ serialNumber: String) -> HapticDevice {
        let port = { @Sendable in
            ((try? PortList.all(in: PortSystem(), openFiles: false)) ?? [])
                .first { $0.usb?.serialNumber == serialNumber }?.path
        }
        return HapticDevice(
            name: "the board with serial number \(serialNumber)",
            identity: { port().map(BoardIdentity.init(port:)) ?? .serialNumber(serialNumber) },
            servedPort: port,
            capability: { .present(withSerialNumber: serialNumber) },
            connect: { try BoardSearch.connect(serialNumber: serialNumber, while: $0) })
    }

    /// Returns the board that answers with a given id, at whatever port it is. `bridge flash`
    /// assigns the id and `bridge info` shows it. Each start asks all boards that a search finds,
    /// which resets some of them.
    public static func boardID(_ boardID: UInt64) -> HapticDevice {
        HapticDevice(
            name: "the board \(String(boardID, radix: 16))", identity: { .board(boardID) },
            servedPort: { Computer().servedPort { $0.boardID == boardID } },
            capability: { .present(named: nil) },
            connect: { try BoardSearch.connect(boardID: boardID, while: $0) })
    }
}

/// The GameController name of ``HapticDevice``.
public typealias GCDeviceHaptics = HapticDevice
