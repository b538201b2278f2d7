// PortOwner: the process that owns a board's port while a program plays on it.

/// The process that owns a board's port while `bridge play` plays on it.
public enum PortOwner: CaseIterable, Sendable {
    /// The process of `bridge play` itself.
    case player
    /// A server process that `bridge play` starts, and that also serves the board to other
    /// programs.
    case server

    /// The environment variables that select the owner.
    public var environment: [String: String] {
        ["BRIDGE_SERVER": self == .player ? "" : Tool.executable("bridge").path]
    }
}
