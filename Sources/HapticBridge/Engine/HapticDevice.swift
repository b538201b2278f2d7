// HapticDevice: which board an engine plays on.

import BridgeLink
import Dispatch

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A board that an engine connects to when it is started.
public struct HapticDevice: Sendable {
    /// What tells boards apart: engines on the same one share a connection to it.
    enum Identity: Hashable, Sendable {
        /// By the port's real path.
        case port(String)
        case automatic
        /// By a USB serial number that no port has.
        case serialNumber(String)
        /// By the id that it answers with.
        case board(UInt64)
        case own(UUID)

        /// That of a port by any path that leads to it.
        init(port path: String) { self = .port(realPath(of: path) ?? path) }
    }

    /// What messages call it.
    public let name: String
    /// As the environment and the links to ports are now.
    let identity: @Sendable () -> Identity
    /// Connects, as long as that is wanted; called on the engine's own thread. Throws
    /// `CancellationError` when it is not.
    let connect: @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard

    /// A board that `connect` finds. What it throws is thrown by the engine's start.
    public init(name: String, connect: @escaping @Sendable () throws -> HapticBoard) {
        let identity = Identity.own(UUID())
        self.init(name: name, identity: { identity }, connect: { _ in try connect() })
    }

    init(
        name: String, identity: @escaping @Sendable () -> Identity,
        connect: @escaping @Sendable (_ isWanted: () -> Bool) throws -> HapticBoard
    ) {
        self.name = name
        self.identity = identity
        self.connect = connect
    }

    /// Makes an engine that is felt at a locality, as GameController's `GCDeviceHaptics` does.
    ///
    /// Engines at localities without a common actuator run side by side if the board has a stream for
    /// each; a start says so if it has not.
    ///
    /// - Returns: nil for a locality that no board can have (``HapticLocality/known``). Whether this
    ///   board has it is found at the start; ``HapticEngine/init(device:locality:)`` leaves everything
    ///   to that.
    public func createEngine(withLocality locality: HapticLocality) -> HapticEngine? {
        guard HapticLocality.known.contains(locality) else { return nil }
        return HapticEngine(device: self, locality: locality)
    }

    /// The localities at which the board can be felt: `all`, `default`, and those of its actuators. Empty
    /// if there is no board; the start of an engine says why there is none.
    ///
    /// Asks the board, over the connection of an engine that runs on it if there is one, else over one
    /// of its own, which takes as long as a start.
    public var supportedLocalities: Set<HapticLocality> {
        let answer = Guarded<[ActuatorStatus]>([])
        let isThere = DispatchSemaphore(value: 0)
        do {
            try BoardLoop.survey(self) { report in
                switch report {
                case .surveyed(let actuators): answer.withLock { $0 = actuators }
                case .failed: break
                default: return
                }
                isThere.signal()
            }
            isThere.wait()
        } catch {
            return []
        }
        return Set(HapticLocality.supported(by: answer.withLock { $0 }))
    }

    /// The board at the port that `BRIDGE_PORT` names; else the one whose port engines of the program
    /// have named; else the only one that answers. It is searched as ``BoardSearch`` says: no port is
    /// opened behind which there may be something else than a board.
    public static let automatic = automatic(on: Computer())

    static func automatic(on computer: Computer) -> HapticDevice {
        HapticDevice(
            name: "the board that answers",
            identity: { BoardSearch.environmentPort.map(Identity.init(port:)) ?? .automatic },
            connect: {
                try computer.connect(
                    port: BoardSearch.environmentPort, searchesAdapters: false, while: $0)
            })
    }

    /// The board at a serial port, or at the pseudo-terminal of a virtual board.
    public static func port(_ path: String) -> HapticDevice {
        HapticDevice(
            name: path, identity: { Identity(port: path) },
            connect: { try BoardSearch.connect(port: path, while: $0) })
    }

    /// The board whose USB serial number is this one, at whatever port it is when an engine starts;
    /// `bridge list --json` shows the numbers. An adapter's number stands for the board behind it.
    public static func serialNumber(_ serialNumber: String) -> HapticDevice {
        HapticDevice(
            name: "the board with serial number \(serialNumber)",
            identity: {
                let ports = (try? PortList.all()) ?? []
                let port = ports.first { $0.usb?.serialNumber == serialNumber }
                return port.map { Identity(port: $0.path) } ?? .serialNumber(serialNumber)
            },
            connect: { try BoardSearch.connect(serialNumber: serialNumber, while: $0) })
    }

    /// The board that answers with this id, which `bridge flash` gives and `bridge info` shows, at
    /// whatever port it is. Each start asks all boards that a search finds, which resets some.
    public static func boardID(_ boardID: UInt64) -> HapticDevice {
        HapticDevice(
            name: "the board \(String(boardID, radix: 16))", identity: { .board(boardID) },
            connect: { try BoardSearch.connect(boardID: boardID, while: $0) })
    }
}

/// GameController's spelling.
public typealias GCDeviceHaptics = HapticDevice
