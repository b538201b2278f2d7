// HostNetwork: the sockets that connect programs on different computers.

/// A replacement for the system's network. The caller owns the descriptors; -1 with `errno`
/// indicates an error.
package protocol HostNetwork: Sendable {
    /// Connects to a TCP port of this computer.
    func connect(to port: UInt16) -> Int32

    /// Creates a socket of a type, `NetworkAddress.stream` or `datagram`, and binds it to a port of
    /// this computer; 0 means any free port.
    func bind(to port: UInt16, type: Int32) -> (descriptor: Int32, port: UInt16)
}
