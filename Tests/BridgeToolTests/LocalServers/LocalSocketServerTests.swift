// Tests of the WebSocket for programs of the user: its rules for origins, hosts and message sizes.

import NIOHTTP1
import TestSupport
import Testing

@testable import LocalServers

@Suite struct LocalSocketServerTests {
    private func verdict(_ headers: [(String, String)], method: HTTPMethod = .GET) -> RequestVerdict
    {
        ProgramGate(port: 80, origins: ["https://example.com"]).verdict(
            on: HTTPRequestHead(
                version: .http1_1, method: method, uri: "/", headers: HTTPHeaders(headers)))
    }

    @Test func programsAndAllowedPagesAreAdmitted() {
        #expect(verdict([("Host", "127.0.0.1:80")]) == .socket)
        #expect(verdict([("Host", "localhost:80")]) == .socket)
        for origin in ["https://example.com", "HTTPS://Example.com", "http://127.0.0.1:80"] {
            #expect(verdict([("Host", "127.0.0.1:80"), ("Origin", origin)]) == .socket)
        }
    }

    @Test(arguments: [
        "https://example.org", "http://example.com", "https://example.com:8080", "null", "",
        "https://example.com.evil.example",
    ])
    func pagesOfOtherOriginsAreReportedAndRefused(origin: String) {
        let verdict = verdict([("Host", "127.0.0.1:80"), ("Origin", origin)])
        guard case .stranger(origin, refusal: _) = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test func aNameThatAnAttackerMakesResolveToThisComputerIsRefused() {
        for host in ["evil.example:80", "evil.example", "127.0.0.1", "127.0.0.1:81"] {
            guard case .refusal(.forbidden, _) = verdict([("Host", host)]) else {
                Issue.record("\(host) was admitted")
                return
            }
        }
        guard
            case .refusal(.methodNotAllowed, _) = verdict(
                [("Host", "127.0.0.1:80")], method: .POST)
        else {
            Issue.record("a POST was admitted")
            return
        }
    }

    @Test func theKeyIsRequiredInAdditionToTheOrigin() {
        let key = PageKey()
        func verdict(_ target: String, _ origin: String?) -> RequestVerdict {
            let headers = [("Host", "127.0.0.1:80")] + (origin.map { [("Origin", $0)] } ?? [])
            return ProgramGate(port: 80, origins: ["https://example.com"], key: key).verdict(
                on: HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: target, headers: HTTPHeaders(headers)))
        }
        #expect(verdict("/?key=\(key)", "https://example.com") == .socket)
        #expect(verdict("/?key=\(key)", nil) == .socket)
        let other = PageKey()
        for target in [
            "/", "/?", "/?key=", "/?key=\(other)", "/?\(key)", "/\(key)", "/?key=\(key)0",
        ] {
            for origin in ["https://example.com", nil] {
                guard case .refusal(.forbidden, _) = verdict(target, origin) else {
                    Issue.record("\(target) was admitted")
                    return
                }
            }
        }
        guard
            case .stranger("https://example.org", _) = verdict(
                "/?key=\(key)", "https://example.org")
        else {
            Issue.record("the key does not replace the permission")
            return
        }
    }

    @Test func aClientWhoseMessageIsTooLargeReceivesTheReasonAndIsDisconnected() throws {
        let visits = Visits()
        let events = visits.events
        let server = try LocalSocketServer(
            port: 0, origins: [], messageMax: 1000, tooLarge: "too large", every: 1_000,
            onInterval: {}, onOpen: events.onOpen, onMessage: events.onMessage,
            onClose: events.onClose, onStranger: events.onUnauthorized)
        defer { server.close() }
        func request(_ origin: String) throws -> RawConnection {
            let connection = try #require(RawConnection(port: server.port))
            let lines = [
                "GET / HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Version: 13",
            ]
            connection.send((lines + [origin]).joined(separator: "\r\n") + "\r\n\r\n")
            return connection
        }
        let page = try request("Origin: https://example.com")
        #expect(page.readHead().hasPrefix("HTTP/1.1 403"))
        #expect(visits.soFar.strangers == ["https://example.com"])
        let client = try request("X-Client: test")
        #expect(client.readHead().hasPrefix("HTTP/1.1 101"))
        client.send(frame(0x81, "a"))
        #expect(client.readFrame()?.payload == Array("echo a".utf8))
        client.send(frame(0x81, [UInt8](repeating: 0x61, count: 1001)))
        #expect(client.readFrame()?.payload == Array("too large".utf8))
        #expect(client.closing() == 1009)
        visits.once { $0.closed.count == 1 }
    }
}
