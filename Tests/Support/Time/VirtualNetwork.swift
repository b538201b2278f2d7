// VirtualNetwork: the network of tests in virtual time.

import Foundation
import SerialPorts

/// A network whose ports are local sockets in a folder. The kernel passes their bytes on within the call
/// that sends them, while those of TCP and UDP may arrive later, which a virtual clock cannot see.
final class VirtualNetwork: HostNetwork {
    let folder = Folder()
    /// The last port that was free.
    private let last = LockedValue<UInt16>(49_151)

    func connect(to port: UInt16) -> Int32 {
        let descriptor = LocalAddress.makeSocket()
        let result = LocalAddress.with(path("tcp", port)) { Foundation.connect(descriptor, $0, $1) }
        guard result != 0 else { return descriptor }
        close(descriptor)
        return -1
    }

    func listen(at port: UInt16) -> (descriptor: Int32, port: UInt16) {
        let port = free(port)
        let descriptor = LocalAddress.makeSocket()
        _ = LocalAddress.with(path("tcp", port)) { bind(descriptor, $0, $1) }
        // A connection that waits for longer is refused, while one by TCP would wait for its turn.
        _ = Foundation.listen(descriptor, 128)
        return (descriptor, port)
    }

    func bindDatagrams(at port: UInt16) -> (descriptor: Int32, port: UInt16) {
        let port = free(port)
        let descriptor = Self.datagramSocket()
        _ = LocalAddress.with(path("udp", port)) { bind(descriptor, $0, $1) }
        return (descriptor, port)
    }

    /// Sends a datagram to a UDP port.
    func send(_ bytes: [UInt8], to port: UInt16) {
        let descriptor = Self.datagramSocket()
        defer { close(descriptor) }
        _ = LocalAddress.with(path("udp", port)) {
            Int32(sendto(descriptor, bytes, bytes.count, 0, $0, $1))
        }
    }

    private static func datagramSocket() -> Int32 {
        #if os(Linux)
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        LocalAddress.prepare(descriptor)
        return descriptor
    }

    private func free(_ port: UInt16) -> UInt16 {
        guard port == 0 else { return port }
        return last.withLock { last in
            last += 1
            return last
        }
    }

    private func path(_ kind: String, _ port: UInt16) -> String { folder.path("\(kind)-\(port)") }
}
