// HostNetwork: the sockets by which programs of different computers reach each other.

/// A network in place of the system's. Descriptors belong to the caller; -1 with `errno` stands for an error.
package protocol HostNetwork: Sendable {
    /// Connects to a TCP port of this computer.
    func connect(to port: UInt16) -> Int32

    /// Listens at a TCP port of this computer; 0 stands for one that is free.
    func listen(at port: UInt16) -> (descriptor: Int32, port: UInt16)

    /// Receives datagrams at a UDP port of this computer; 0 stands for one that is free.
    func bindDatagrams(at port: UInt16) -> (descriptor: Int32, port: UInt16)
}
