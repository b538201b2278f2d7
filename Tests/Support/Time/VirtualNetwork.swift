// VirtualNetwork: the network of tests in virtual time.

import Foundation
import SerialPorts

/// A network whose ports are local sockets in a folder. The kernel delivers the bytes of a local
/// socket within the call that sends them. With TCP and UDP, the kernel may deliver bytes later,
/// and a virtual clock cannot detect this delay.
final class VirtualNetwork: HostNetwork {
    let folder = Folder()
    /// The last free port that was assigned.
    private let last = LockedValue<UInt16>(49_151)
    private let sender = LocalAddress.makeSocket(type: NetworkAddress.datagram)

    deinit { close(sender) }

    func connect(to port: UInt16) -> Int32 {
        let descriptor = LocalAddress.makeSocket()
        while true {
            let result = with(port, NetworkAddress.stream) {
                Foundation.connect(descriptor, $0, $1)
            }
            guard result != 0 else { return descriptor }
            guard errno == EAGAIN else { break }
            // If the backlog is full, waits until the server accepts a connection, as with TCP.
            hostClock.sleep(for: 1_000)
        }
        close(descriptor)
        return -1
    }

    func bind(to port: UInt16, type: Int32) -> (descriptor: Int32, port: UInt16) {
        let port = free(port)
        let descriptor = LocalAddress.makeSocket(type: type)
        if !isBound(port, type) { unlink(path(port, type)) }
        let result = with(port, type) { Foundation.bind(descriptor, $0, $1) }
        guard result != 0 else { return (descriptor, port) }
        let code = errno
        close(descriptor)
        errno = code
        return (-1, port)
    }

    /// Returns true if a program is bound to a port. Ignores a socket file that a previous program
    /// has left.
    private func isBound(_ port: UInt16, _ type: Int32) -> Bool {
        let probe = LocalAddress.makeSocket(type: type)
        defer { close(probe) }
        return with(port, type) { Foundation.connect(probe, $0, $1) } == 0
            || ![ECONNREFUSED, ENOENT].contains(errno)
    }

    /// Sends a datagram to a UDP port.
    func send(_ bytes: [UInt8], to port: UInt16) {
        _ = with(port, NetworkAddress.datagram) {
            Int32(sendto(sender, bytes, bytes.count, 0, $0, $1))
        }
    }

    private func free(_ port: UInt16) -> UInt16 {
        guard port == 0 else { return port }
        return last.withLock { last in
            last += 1
            return last
        }
    }

    private func with(
        _ port: UInt16, _ type: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 { LocalAddress.with(path(port, type), body) }

    private func path(_ port: UInt16, _ type: Int32) -> String { folder.path("\(port)-\(type)") }
}
