// BoardPlace: where a board was found.

import SerialPorts

/// The place at which a board was found.
package struct BoardPlace: Sendable {
    package let path: String
    /// The identity that distinguishes the port from others; nil if the system does not list the
    /// port.
    package let identity: String?
    package let system: PortSystem

    package init(path: String, identity: String?, system: PortSystem) {
        (self.path, self.identity, self.system) = (path, identity, system)
    }
}
