// HapticDevice: which board an engine plays on.

import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A board that an engine connects to when it is started.
public struct HapticDevice: Sendable {
    /// What tells boards apart: engines on the same one share a connection to it.
    enum Identity: Hashable, Sendable {
        case port(String)
        case automatic
        case own(UUID)
    }

    /// What messages call it.
    public let name: String
    let identity: Identity
    /// Connects; called on the engine's own thread.
    let connect: @Sendable () throws -> HapticBoard

    /// A board that `connect` finds. What it throws is thrown by the engine's start.
    public init(name: String, connect: @escaping @Sendable () throws -> HapticBoard) {
        self.init(name: name, identity: .own(UUID()), connect: connect)
    }

    private init(
        name: String, identity: Identity, connect: @escaping @Sendable () throws -> HapticBoard
    ) {
        self.name = name
        self.identity = identity
        self.connect = connect
    }

    /// Makes an engine that is felt at a locality, as GameController's `GCDeviceHaptics` does.
    ///
    /// Engines at localities without a common actuator run side by side if the board has a stream for
    /// each; a start says so if it has not.
    public func createEngine(withLocality locality: HapticLocality) -> HapticEngine {
        HapticEngine(device: self, locality: locality)
    }

    /// Where the board can be felt; `all` and `default` are always among it. Connects to ask, so the
    /// port must be free.
    ///
    /// - Throws: ``HapticError`` if there is no board.
    public func supportedLocalities() throws -> Set<HapticLocality> {
        do {
            let board = try connect()
            defer { board.close() }
            return try board.supportedLocalities()
        } catch {
            throw HapticError(connecting: error)
        }
    }

    /// The board at the port that `BRIDGE_PORT` names, or else the only one that answers.
    public static let automatic = HapticDevice(
        name: "the board that answers", identity: .automatic
    ) {
        try BoardSearch.connect()
    }

    /// The board at a serial port, or at the pseudo-terminal of a virtual board.
    public static func port(_ path: String) -> HapticDevice {
        HapticDevice(name: path, identity: .port(path)) { try BoardSearch.connect(port: path) }
    }
}
