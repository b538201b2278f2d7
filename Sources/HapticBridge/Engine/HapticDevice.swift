// HapticDevice: which board an engine plays on.

import BridgeLink

/// A board that an engine connects to when it is started.
public struct HapticDevice: Sendable {
    /// What messages call it.
    public let name: String
    /// Connects; called on the engine's own thread.
    let connect: @Sendable () throws -> HapticBoard

    /// A board that `connect` finds. What it throws is thrown by the engine's start.
    public init(name: String, connect: @escaping @Sendable () throws -> HapticBoard) {
        self.name = name
        self.connect = connect
    }

    /// Makes an engine that is felt at a locality, as GameController's `GCDeviceHaptics` does.
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
    public static let automatic = HapticDevice(name: "the board that answers") {
        try BoardSearch.connect()
    }

    /// The board at a serial port, or at the pseudo-terminal of a virtual board.
    public static func port(_ path: String) -> HapticDevice {
        HapticDevice(name: path) { try BoardSearch.connect(port: path) }
    }
}
