// BoardEndpoint: the location at which a board was found.

import SerialPorts

/// The port on which a board was found.
package struct BoardEndpoint: Sendable {
    package let path: String
    /// The identity that distinguishes the port from other ports; nil if the system does not list
    /// the port.
    package let identity: String?
    package let system: PortSystem

    package init(path: String, identity: String?, system: PortSystem) {
        (self.path, self.identity, self.system) = (path, identity, system)
    }
}
