// PageClient: a client that behaves like the tool's page in a browser.

import Foundation

/// A WebSocket to a tool's page server. As in a browser, the first request uses the printed
/// address, and later requests use the cookie.
public final class PageClient {
    /// An error that describes why no WebSocket could be opened.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// A message from the tool.
    public typealias Message = [String: Any]

    /// The Cookie header and the key that authorize further connections.
    public let cookie: String
    public let key: String
    public let port: Int
    private let connection: RawConnection
    private var bytes: [UInt8] = []

    /// - Parameter url: the address that the tool has printed.
    public init(_ url: String) throws {
        guard let address = URL(string: url), let port = address.port else {
            throw Failure(description: "not the address of a page: \(url)")
        }
        self.port = port
        (cookie, key) = try Self.admission(by: "/?\(address.query ?? "")", port)
        let (connection, status) = try Self.upgrade(port, cookie: cookie, key: key)
        guard status == 101 else {
            throw Failure(description: "the WebSocket is rejected with status \(status)")
        }
        self.connection = connection
    }

    private static func admission(
        by target: String, _ port: Int
    ) throws -> (cookie: String, key: String) {
        guard let connection = RawConnection(port: port) else {
            throw Failure(description: "no server listens at port \(port)")
        }
        connection.send(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        let head = String(decoding: connection.readToEnd() ?? [], as: UTF8.self)
        func header(_ name: String) -> Substring? {
            head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name) }?
                .dropFirst(name.count)
        }
        guard let cookie = header("set-cookie:")?.split(separator: ";").first,
            let key = header("location:")?.split(separator: "#").last
        else { throw Failure(description: "the page is not admitted: \(head.prefix(200))") }
        return ("Cookie:\(cookie)", String(key))
    }

    /// Requests a WebSocket. Opens a connection. Returns it with the HTTP status of the response.
    public static func upgrade(
        _ port: Int, host: String? = nil, origin: String? = nil, cookie: String, key: String
    ) throws -> (RawConnection, status: Int) {
        guard let connection = RawConnection(port: port) else {
            throw Failure(description: "no server listens at port \(port)")
        }
        let host = host ?? "127.0.0.1:\(port)"
        let lines = [
            "GET /live?key=\(key) HTTP/1.1", "Host: \(host)", "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
            "Origin: \(origin ?? "http://\(host)")", cookie,
        ]
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        let words = connection.readHead().split(separator: " ")
        return (connection, words.count > 1 ? Int(words[1]) ?? 0 : 0)
    }

    // MARK: Messages

    /// Sends a text.
    public func send(_ text: String) { connection.send(frame(0x81, text)) }

    /// Sends arbitrary bytes.
    public func send(bytes: [UInt8]) { connection.send(bytes) }

    /// Returns the next message, or nil if the connection has ended.
    public func next() -> Message? {
        guard let head = readBytes(2) else { return nil }
        var count = Int(head[1] & 127)
        if count >= 126 {
            guard let length = readBytes(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = readBytes(count), head[0] != 0x88 else { return nil }
        guard head[0] == 0x81 else { return next() }
        return (try? JSONSerialization.jsonObject(with: Data(payload))) as? Message
    }

    /// Skips messages up to the next message of a type, and returns that message, or nil if the
    /// connection ends first.
    public func next(_ type: String, where isMeant: (Message) -> Bool = { _ in true }) -> Message? {
        while let message = next() {
            if message["type"] as? String == type, isMeant(message) { return message }
        }
        return nil
    }

    private func readBytes(_ count: Int) -> [UInt8]? {
        while bytes.count < count {
            guard let more = connection.read(), !more.isEmpty else { return nil }
            bytes += more
        }
        defer { bytes.removeFirst(count) }
        return Array(bytes.prefix(count))
    }
}
