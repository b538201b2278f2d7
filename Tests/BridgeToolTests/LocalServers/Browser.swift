// Browser: the bytes that a browser sends to a server, and the responses that it receives.

import Foundation
import TestSupport
import Testing

@testable import LocalServers

/// A record of the events on a server's pages.
final class Visits: @unchecked Sendable {
    struct Record {
        var opened: [PageConnection] = []
        var closed: [PageConnection] = []
        var messages: [String] = []
        var strangers: [String] = []
    }

    private let condition = NSCondition()
    private var noted = Record()

    /// The events recorded so far.
    var soFar: Record { condition.withLock { noted } }

    /// Waits until the recorded events satisfy a condition, and returns them. There is no timeout.
    @discardableResult
    func once(_ isFulfilled: (Record) -> Bool) -> Record {
        condition.withLock {
            while !isFulfilled(noted) { condition.wait() }
            return noted
        }
    }

    private func note(_ change: (inout Record) -> Void) {
        condition.withLock {
            change(&noted)
            condition.broadcast()
        }
    }

    var events: PageEvents {
        PageEvents(
            onOpen: { page in self.note { $0.opened.append(page) } },
            onMessage: { page, text in
                self.note { $0.messages.append(text) }
                page.send("echo " + text)
            },
            onClose: { page in self.note { $0.closed.append(page) } },
            onUnauthorized: { url in self.note { $0.strangers.append(url) } })
    }
}

/// A response from a server.
struct Response {
    let status: Int
    let headers: [String: String]
    let body: String

    /// - Parameter bytes: the bytes that the browser received before the connection ended.
    init?(_ bytes: [UInt8]?) {
        guard let bytes else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
        let pairs = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        headers = Dictionary(pairs) { $0 + "\n" + $1 }
        body = String(text[end.upperBound...])
    }
}

/// A server, and clients that send arbitrary bytes to it.
final class PageRig {
    let visits = Visits()
    let server: LocalWebServer
    var port: Int { server.port }
    var host: String { "127.0.0.1:\(port)" }

    static let page = "<!doctype html><title>Page</title>"

    init(limits: PageLimits = PageLimits()) throws {
        server = try LocalWebServer(
            port: 0,
            files: [
                "index.html": Array(Self.page.utf8), "studio.css": Array("p {}".utf8),
                "parts/time.js": Array("export {}".utf8),
            ], limits: limits, events: visits.events)
    }

    deinit { server.close() }

    func connection() throws -> RawConnection { try #require(RawConnection(port: port)) }

    /// Sends a request and returns the response, or nil if the connection is closed without a
    /// response.
    func request(
        _ method: String = "GET", _ target: String, host: String? = nil, _ headers: [String] = []
    ) throws -> Response? {
        let connection = try connection()
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: \(host ?? self.host)", "Connection: close"]
            + headers
        connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return Response(connection.readToEnd())
    }

    /// The path and the query of a URL that authorizes a browser.
    var admission: String {
        String(server.url.dropFirst("http://\(host)".count))
    }

    /// Opens the server's URL, and returns the Cookie header that the browser sends in later
    /// requests.
    func cookie() throws -> String {
        let response = try #require(try request("GET", admission))
        let cookie = try #require(response.headers["set-cookie"]?.split(separator: ";").first)
        return "Cookie: \(cookie)"
    }

    /// The path and the query of the WebSocket's URL.
    var socketPath: String { "/live?key=\(server.keys.key)" }

    /// Requests a WebSocket. Requests a WebSocket. Returns the connection and the status of the
    /// response.
    func upgrade(
        host: String? = nil, origin: String?, _ headers: [String], path: String? = nil
    ) throws -> (connection: RawConnection, status: Int) {
        let connection = try connection()
        var lines = [
            "GET \(path ?? socketPath) HTTP/1.1", "Host: \(host ?? self.host)",
            "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version: 13",
        ]
        if let origin { lines.append("Origin: \(origin)") }
        connection.send((lines + headers).joined(separator: "\r\n") + "\r\n\r\n")
        let words = connection.readHead().split(separator: " ")
        return (connection, words.count > 1 ? Int(words[1]) ?? 0 : 0)
    }

    /// Returns an open WebSocket.
    func socket() throws -> RawConnection {
        let (connection, status) = try upgrade(origin: "http://\(host)", [try cookie()])
        #expect(status == 101)
        return connection
    }
}
