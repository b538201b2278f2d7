// HostNetwork: the network sockets through which programs on different computers are connected.

/// A replacement for the system's network. The caller owns the returned descriptors. If an error
/// occurs, the descriptor is -1 and `errno` is set.
package protocol HostNetwork: Sendable {
    /// Connects to a TCP port of this computer.
    func connect(to port: UInt16) -> Int32

    /// Creates a socket of the given type, `NetworkAddress.stream` or `datagram`, and binds it to a
    /// port of this computer. Port 0 requests any free port.
    func bind(to port: UInt16, type: Int32) -> (descriptor: Int32, port: UInt16)
}
