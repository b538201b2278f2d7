// PortOwner: the process that has the port of a board while a program plays on it.

/// The process that has the port of a board while `bridge play` plays on it.
public enum PortOwner: CaseIterable, Sendable {
    /// The program that plays.
    case player
    /// A process that it starts, which serves the board to other programs too.
    case server

    /// The environment variables that decide it.
    public var environment: [String: String] {
        ["BRIDGE_SERVER": self == .player ? "" : Tool.executable("bridge").path]
    }
}
