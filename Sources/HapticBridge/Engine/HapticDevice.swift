// HapticDevice: the board that an engine connects to.

import BoardSharing
import BridgeLink
import Foundation
import HapticBoards
import SerialPorts

/// A board that an engine connects to when the engine is started.
public struct HapticDevice: Sendable {
    /// The program that serves a board on a serial port to all programs of the user. When a program
    /// ends, such a server continues to play the patterns of the other programs. If another program
    /// already serves the board, the board is shared with that program regardless of this setting.
    public enum Server: Hashable, Sendable {
        /// The `bridge` tool, if it is installed: the tool that the environment variable
        /// `BRIDGE_SERVER` names, the tool in the folder of the running program, or `haptic-bridge`
        /// in `PATH`. If there is no tool, the running program serves the board.
        case installedTool
        /// The `bridge` tool at a URL, for an app that includes the tool.
        case tool(URL)
        /// The running program, which starts no other process.
        case ownProgram

        var program: ServerProgram? {
            switch self {
            case .installedTool: ServerProgram()
            case .tool(let url): ServerProgram(path: url.path)
            case .ownProgram: nil
            }
        }
    }

    /// The program that serves the board to other programs.
    public private(set) var server = Server.installedTool

    /// Returns the program that is started to serve the board; nil if no program is started.
    var serverProgram: @Sendable () -> ServerProgram? { { [server] in server.program } }

    /// Returns a copy of the device with a different program to serve its board.
    /// ``HapticEngine/isServedByAnotherProgram`` reports whether another program actually serves
    /// the board.
    public func served(by server: Server) -> HapticDevice {
        var device = self
        device.server = server
        return device
    }

    /// The name that messages use for the board.
    public let name: String
    /// The source of the board: its identity, and the closure that connects to it.
    package let source: BoardSource
    /// The condition under which an engine on this device becomes a preview.
    var preview: Preview
    /// The voice coils on which engines play; nil for a board or a preview.
    var coils: VoiceCoilOutput?
    /// Returns the current capabilities of the board without opening a port.
    let capability: @Sendable () -> BoardCapability

    /// Returns the path of the board's port, so that another process may serve it; nil if the path
    /// is unknown. The closure is nil for a board that only this process can connect to.
    package var servedPort: (@Sendable () -> String?)? { source.servedPort }

    /// Creates a device for the board that `connect` connects to. If `connect` throws an error, the
    /// start of an engine throws this error.
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

    /// The board on the port that `BRIDGE_PORT` names; if the variable is not set, the board whose
    /// port an engine of the program names; if there is no such engine, the only board that
    /// answers. The search follows ``BoardSearch``: it does not open a port that may belong to a
    /// device other than a board.
    public static let automatic = automatic(on: PortEnvironment())

    static func automatic(on computer: PortEnvironment) -> HapticDevice {
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

    /// Returns a device for the board at a serial port, or at the pseudo-terminal of a virtual
    /// board.
    public static func port(_ path: String) -> HapticDevice {
        HapticDevice(
            name: path, identity: { BoardIdentity(port: path) }, servedPort: { path },
            capability: { .present(named: path) },
            connect: { try BoardSearch.connect(port: path, while: $0) })
    }

    /// Returns a device for the board with a given USB serial number. When an engine starts, all
    /// ports are searched for this number. `bridge list --json` shows the numbers. The serial
    /// number of a USB adapter identifies the board that is connected to it.
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

    /// Returns a device for the board that answers with a given id, on any port. `bridge flash`
    /// assigns the id and `bridge info` shows it. Each start queries all boards that a search
    /// finds. A query resets some boards.
    public static func boardID(_ boardID: UInt64) -> HapticDevice {
        HapticDevice(
            name: "the board \(String(boardID, radix: 16))", identity: { .board(boardID) },
            servedPort: { PortEnvironment().servedPort { $0.boardID == boardID } },
            capability: { .present(named: nil) },
            connect: { try BoardSearch.connect(boardID: boardID, while: $0) })
    }
}

/// The GameController name of ``HapticDevice``.
public typealias GCDeviceHaptics = HapticDevice
