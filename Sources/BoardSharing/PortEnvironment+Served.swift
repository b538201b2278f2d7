// The boards of a computer, including boards that other programs serve.

import BridgeLink
import HapticBoards
import SerialPorts

extension PortEnvironment {
    /// Returns the port of the only board that a search may find, including a board that another
    /// program serves; nil if there is no such board or more than one.
    package func onlyPort() -> String? {
        let ports = (try? ports())?.searched().filter(isUsable) ?? []
        return ports.count == 1 ? ports[0].path : nil
    }

    /// Returns whether a port is free or its board is served by another program of the user.
    package func isUsable(_ port: PortDescription) -> Bool {
        switch port.access {
        case .free: true
        case .noPermission: false
        case .locked: BoardServerClient.isThere(port: port.path)
        }
    }

    /// Returns the port of a board that another program of the user serves and that satisfies a
    /// condition.
    package func servedPort(where isWanted: (Welcome) -> Bool) -> String? {
        ((try? ports())?.searched() ?? []).first { port in
            guard let board = try? HapticBoard.served(at: port.path) else { return false }
            defer { board.close() }
            return isWanted(board.welcome)
        }?.path
    }
}

extension BoardEndpoint {
    /// Returns whether the board may have been connected again, as far as this can be determined
    /// without opening a port. Returns false if a different device is at the same path.
    ///
    /// - Parameter isNamed: true if the board must be at the same path.
    package func hasBoard(isNamed: Bool) -> Bool {
        guard let identity else {
            return NetworkAddress.isMeant(by: path) || PortList.isDevice(path)
        }
        if isNamed { return PortList.port(at: path, in: system)?.identity == identity }
        return PortList.paths(of: identity, in: system).contains { path in
            PortList.access(to: path, in: system) == .free || BoardServerClient.isThere(port: path)
        }
    }
}
