// NetworkAddress+Listening: listens at a network address.

import BridgeLink
import POSIX

extension NetworkAddress {
    /// The maximum number of connections that are waiting to be accepted.
    private static let backlog: Int32 = 16

    /// Listens at `[HOST:]PORT`. If no host is specified, only programs on this computer can
    /// connect.
    ///
    /// - Returns: the descriptor of the socket, which the caller owns, and the path that clients
    ///   use to connect. Port 0 requests any free port.
    package static func listen(
        at address: String
    ) throws(TransportError) -> (descriptor: Int32, path: String) {
        let isPort = !address.isEmpty && address.allSatisfy { $0.isASCII && $0.isNumber }
        let full = scheme + (isPort ? "127.0.0.1:\(address)" : address)
        // The address parser rejects port 0, so port 1 is parsed instead.
        let named = try NetworkAddress(full.hasSuffix(":0") ? full.dropLast() + "1" : full)
        let port = full.hasSuffix(":0") ? 0 : named.port
        let host = named.host.contains(":") ? "[\(named.host)]" : named.host
        let (descriptor, actual) = try bound(full, named.host, port, type: stream)
        guard systemListen(descriptor, backlog) == 0 else {
            let code = errno
            systemClose(descriptor)
            throw .network(path: full, .cannotListen(code: code))
        }
        return (descriptor, "\(scheme)\(host):\(actual)")
    }

    /// Creates a socket and binds it to an address of this computer. Returns the descriptor and the
    /// port.
    private static func bound(
        _ path: String, _ host: String, _ port: UInt16, type: Int32
    ) throws(TransportError) -> (descriptor: Int32, port: UInt16) {
        guard let found = addresses(of: host, port, type: type) else {
            throw .network(path: path, .unknownHost)
        }
        defer { freeaddrinfo(found) }
        if let network = HostProgram.current.network {
            let bound = network.bind(to: port, type: type)
            guard bound.descriptor >= 0 else {
                throw .network(path: path, .cannotListen(code: errno))
            }
            return bound
        }
        let address = found.pointee
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        prepare(descriptor)
        if type == stream {
            // Old connections of an earlier program must not block the port.
            var on: Int32 = 1
            setsockopt(
                descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        guard descriptor >= 0, bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let code = errno
            if descriptor >= 0 { systemClose(descriptor) }
            throw .network(path: path, .cannotListen(code: code))
        }
        return (descriptor, boundPort(of: descriptor))
    }

    /// Receives datagrams on a UDP port of a host address. Port 0 requests any free port.
    ///
    /// - Returns: the descriptor of the socket, which the caller owns, and its port.
    package static func bindDatagrams(
        _ host: String, _ port: UInt16
    ) throws(TransportError) -> (descriptor: Int32, port: UInt16) {
        try bound("udp://\(host):\(port)", host, port, type: datagram)
    }

    private static func boundPort(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(descriptor, $0, &size)
            }
            // In IPv4 and IPv6 addresses, the port directly follows the address family.
            return UnsafeRawPointer($0).load(fromByteOffset: 2, as: UInt16.self).bigEndian
        }
    }

    /// Accepts a connection on a listening socket. Returns nil if no connection is waiting.
    ///
    /// - Returns: the descriptor, which the caller owns, and the peer's numeric address.
    package static func accept(at listener: Int32) -> (descriptor: Int32, address: String)? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let descriptor = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let descriptor = systemAccept(listener, address, &size)
                guard descriptor >= 0 else { return descriptor }
                getnameinfo(
                    address, size, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
                return descriptor
            }
        }
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        return (descriptor, name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
    }
}

/// Calls the system functions. These functions are for types that have methods of the same names.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}

private func systemAccept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?,
    _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 { accept(descriptor, address, length) }
