// RawConnection: a client that sends exactly the bytes that a test specifies.

import Foundation
import POSIX

/// A TCP connection to a port of this computer.
public final class RawConnection {
    private let descriptor: Int32

    /// Connects from one address of this computer to another address of this computer.
    ///
    /// - Returns: a connection, or nil if no server listens on `address`.
    public init?(port: Int, address: String = "127.0.0.1") {
        #if os(Linux)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, type, 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, address, &target.sin_addr)
        let result = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            POSIX.close(descriptor)
            return nil
        }
        // This timeout ends a test that would otherwise hang. No test depends on the length of the
        // timeout.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { POSIX.close(descriptor) }

    /// Sends bytes. Returns true if the other end accepts all bytes.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = rest.withUnsafeBytes {
                POSIX.send(descriptor, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads once. Returns an empty array at the end of the connection, and nil on timeout.
    public func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { return errno == ECONNRESET ? [] : nil }
        return Array(bytes.prefix(count))
    }

    /// Reads until the other end closes the connection. Returns nil if the other end does not close
    /// the connection.
    public func readToEnd() -> [UInt8]? {
        var all: [UInt8] = []
        while let bytes = read() {
            if bytes.isEmpty { return all }
            all += bytes
        }
        return nil
    }

    /// Closes the sending direction. Data from the other end can still be read.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads the header of an HTTP message, including the empty line at its end.
    public func readHead() -> String {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let byte = read(1)
            guard !byte.isEmpty else { break }
            head += byte
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// Reads exactly `count` bytes, or fewer if the connection ends.
    public func read(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        var byte = [UInt8](repeating: 0, count: count)
        while all.count < count {
            let read = recv(descriptor, &byte, count - all.count, 0)
            guard read > 0 else { break }
            all += byte.prefix(read)
        }
        return all
    }
}

/// Returns the bytes of a WebSocket frame from a client. `first` contains FIN, the reserved bits
/// and the opcode.
public func frame(_ first: UInt8, _ payload: [UInt8], masked: Bool = true) -> [UInt8] {
    var bytes = [first]
    let mask: UInt8 = masked ? 0x80 : 0
    switch payload.count {
    case ...125: bytes.append(mask | UInt8(payload.count))
    case ...65_535: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
        bytes.append(mask | 127)
        withUnsafeBytes(of: UInt64(payload.count).bigEndian) { bytes += $0 }
    }
    guard masked else { return bytes + payload }
    let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    bytes += key
    for (index, byte) in payload.enumerated() { bytes.append(byte ^ key[index % 4]) }
    return bytes
}

public func frame(_ first: UInt8, _ text: String, masked: Bool = true) -> [UInt8] {
    frame(first, Array(text.utf8), masked: masked)
}

extension RawConnection {
    /// Reads a frame of up to 65,535 bytes from the server. Returns nil if the connection ends.
    public func readFrame() -> (first: UInt8, payload: [UInt8])? {
        let head = read(2)
        guard head.count == 2, head[1] <= 126 else { return nil }
        guard head[1] == 126 else { return (head[0], read(Int(head[1]))) }
        let length = read(2)
        guard length.count == 2 else { return nil }
        return (head[0], read(Int(length[0]) << 8 | Int(length[1])))
    }

    /// The status code in the server's close frame; nil if the server does not close the connection
    /// after the frame.
    public func closing() -> UInt16? {
        guard let frame = readFrame(), frame.first == 0x88, frame.payload.count >= 2 else {
            return nil
        }
        guard read()?.isEmpty == true else { return nil }
        return UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1])
    }
}
