// LocalAddress: local sockets, whose addresses are paths.

import POSIX

/// The system functions for sockets that connect processes on the same computer.
package enum LocalAddress {
    /// Creates a non-blocking socket that child processes do not inherit. Returns the descriptor;
    /// -1, with `errno` set, if an error occurs.
    package static func makeSocket(type: Int32 = NetworkAddress.stream) -> Int32 {
        let descriptor = socket(AF_UNIX, type, 0)
        if descriptor >= 0 { prepare(descriptor) }
        return descriptor
    }

    /// Returns two connected stream sockets of this process; nil, with `errno` set, if the process has
    /// no file descriptors left.
    package static func makePair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, NetworkAddress.stream, 0, &ends) == 0 else { return nil }
        ends.forEach(prepare)
        return (ends[0], ends[1])
    }

    /// Makes a socket non-blocking, prevents child processes from inheriting the socket, and
    /// disables SIGPIPE for the socket.
    package static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if !os(Linux)
            var on: Int32 = 1
            setsockopt(
                descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Calls `body` with the socket address that represents a path, and returns the result of
    /// `body`. If the path is too long, returns -1 and sets `errno`.
    package static func with(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return -1
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Writes as many bytes as fit into the buffer. Returns the number of bytes that were written;
    /// -1, with `errno` set, if an error occurs.
    package static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return systemSend(descriptor, bytes, flags)
    }
}

/// Calls the system function. This function is for types that have a method of the same name.
private func systemSend(_ descriptor: Int32, _ bytes: [UInt8], _ flags: Int32) -> Int {
    send(descriptor, bytes, bytes.count, flags)
}
