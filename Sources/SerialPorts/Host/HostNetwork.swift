// HostNetwork: the sockets by which programs of different computers reach each other.

/// A network in place of the system's. Descriptors belong to the caller; -1 with `errno` stands for an error.
package protocol HostNetwork: Sendable {
    /// Connects to a TCP port of this computer.
    func connect(to port: UInt16) -> Int32

    /// Makes a socket of a type, `NetworkAddress.stream` or `datagram`, at a port of this computer; 0 stands
    /// for one that is free.
    func bind(to port: UInt16, type: Int32) -> (descriptor: Int32, port: UInt16)
}
