// NetworkAddress: the TCP address of a board, which is used like the path of a port.

import BridgeLink
import POSIX

/// The TCP address of a computer or a device server: `tcp://HOST:PORT`. An IPv6 address is written
/// in brackets.
package struct NetworkAddress: Hashable, Sendable {
    /// The host name or the address, without brackets.
    package let host: String
    package let port: UInt16
    /// The original path, for messages.
    package let path: String

    /// The beginning of every path that is a network address.
    package static let scheme = "tcp://"

    /// The first words that a program sends when it serves a board over TCP. These words
    /// distinguish such a program from a board.
    package static let greeting = "haptic-bridge 1 "

    /// The maximum duration of a connection attempt, in microseconds. A lost packet is sent again
    /// only after a second.
    private static let patience: Microseconds = 5_000_000

    /// Returns whether a path is meant to be a network address, even if the address is malformed.
    package static func isMeant(by path: String) -> Bool { path.hasPrefix(scheme) }

    /// Parses `tcp://HOST:PORT`. Throws `network` for any other text.
    package init(_ path: String) throws(TransportError) {
        let rest = Self.isMeant(by: path) ? path.dropFirst(Self.scheme.count) : ""
        let colon = rest.lastIndex(of: ":")
        guard let colon, let port = UInt16(rest[rest.index(after: colon)...]), port != 0 else {
            throw .network(path: path, .malformed)
        }
        var host = rest[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.contains(":") == isBracketed,
            !host.contains(where: { "/@[]".contains($0) || $0.isWhitespace })
        else { throw .network(path: path, .malformed) }
        (self.host, self.port, self.path) = (String(host), port, path)
    }

    /// Connects with a non-blocking socket. If the host name has several addresses, the method
    /// tries them one after another.
    ///
    /// - Returns: the descriptor of the socket, which the caller owns.
    package func connect() throws(TransportError) -> Int32 {
        var failure = NetworkProblem.unreachable(code: EHOSTUNREACH)
        let deadline = hostClock.now() + Self.patience
        let found = try addresses()
        defer { freeaddrinfo(found) }
        if let network = HostProgram.current.network {
            let descriptor = network.connect(to: port)
            guard descriptor >= 0 else { throw .network(path: path, .refused) }
            return descriptor
        }
        var next: UnsafeMutablePointer<addrinfo>? = found
        while let address = next {
            switch Self.connection(to: address.pointee, before: deadline) {
            case .success(let descriptor): return descriptor
            case .failure(let problem): failure = problem
            }
            next = address.pointee.ai_next
        }
        throw .network(path: path, failure)
    }

    private func addresses() throws(TransportError) -> UnsafeMutablePointer<addrinfo> {
        guard let found = Self.addresses(of: host, port) else {
            throw .network(path: path, .unknownHost)
        }
        return found
    }

    #if os(Linux)
        package static let stream = Int32(SOCK_STREAM.rawValue)
        package static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        package static let stream = SOCK_STREAM
        package static let datagram = SOCK_DGRAM
    #endif

    static func addresses(
        of host: String, _ port: UInt16, type: Int32 = stream
    ) -> UnsafeMutablePointer<addrinfo>? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = type
        var found: UnsafeMutablePointer<addrinfo>?
        return getaddrinfo(host, "\(port)", &hints, &found) == 0 ? found : nil
    }

    private static func connection(
        to address: addrinfo, before deadline: HostTime
    ) -> Result<Int32, NetworkProblem> {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return .failure(.unreachable(code: errno)) }
        prepare(descriptor)
        var code: Int32 = 0
        if systemConnect(descriptor, address.ai_addr, address.ai_addrlen) != 0 { code = errno }
        if code == EINPROGRESS { code = outcome(of: descriptor, before: deadline) }
        guard code != 0 else { return .success(descriptor) }
        systemClose(descriptor)
        switch code {
        case ECONNREFUSED: return .failure(.refused)
        case ETIMEDOUT: return .failure(.timedOut)
        default: return .failure(.unreachable(code: code))
        }
    }

    /// Waits until a connection attempt has finished. Returns 0 if the attempt succeeded;
    /// otherwise, the error number.
    private static func outcome(of descriptor: Int32, before deadline: HostTime) -> Int32 {
        var requests = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        while true {
            let count = hostClock.poll(&requests, until: deadline)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return ETIMEDOUT }
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            return code
        }
    }

    /// Makes a socket non-blocking, disables the delay for small writes, and prevents child
    /// processes from inheriting the socket.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        #if !os(Linux)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
    }
}

/// Calls the system function from within types that have a method of the same name.
private func systemConnect(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ length: socklen_t
) -> Int32 { connect(descriptor, address, length) }
