// Listening at a network address.

import BridgeLink
import POSIX

extension NetworkAddress {
    /// The maximum number of connections that wait to be accepted.
    private static let backlog: Int32 = 16

    /// Listens at `[HOST:]PORT`. Without a host, only this computer can connect.
    ///
    /// - Returns: the descriptor of the socket, which the caller owns, and the path to which
    ///   clients connect. Port 0 means any free port.
    package static func listen(
        at place: String
    ) throws(TransportError) -> (descriptor: Int32, path: String) {
        let isPort = !place.isEmpty && place.allSatisfy { $0.isASCII && $0.isNumber }
        let full = scheme + (isPort ? "127.0.0.1:\(place)" : place)
        // The address parser rejects port 0, so another port replaces it here.
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

    /// Creates a socket and binds it to an address of this computer. Returns its descriptor and its
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
            // Connections of an earlier program must not block the port.
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

    /// Receives datagrams at a UDP port of a host address; 0 means any free port.
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
            // The port follows the address family in both kinds of address.
            return UnsafeRawPointer($0).load(fromByteOffset: 2, as: UInt16.self).bigEndian
        }
    }

    /// Accepts a connection at a listening socket. Returns nil if none is waiting.
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

/// The system functions, which methods with the same names would hide.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}

private func systemAccept(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?,
    _ length: UnsafeMutablePointer<socklen_t>?
) -> Int32 { accept(descriptor, address, length) }
