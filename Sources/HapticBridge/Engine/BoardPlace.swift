// BoardPlace: where a board was found.

import SerialPorts

/// The place at which a board was found.
struct BoardPlace: Sendable {
    let path: String
    /// The identity that distinguishes the port from others; nil if the system does not list the
    /// port.
    let identity: String?
    let system: PortSystem

    /// Whether the board may be back, as far as can be determined without opening a port. Another
    /// device that was plugged in instead does not count.
    ///
    /// - Parameter isNamed: whether the board has to be at the same path.
    func hasBoard(isNamed: Bool) -> Bool {
        guard let identity else {
            return NetworkAddress.isMeant(by: path) || PortList.isDevice(path)
        }
        if isNamed { return PortList.port(at: path, in: system)?.identity == identity }
        return PortList.paths(of: identity, in: system).contains { path in
            PortList.access(to: path, in: system) == .free || ServedBoard.isThere(port: path)
        }
    }
}
