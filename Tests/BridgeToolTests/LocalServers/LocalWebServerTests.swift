// Tests of attacks on the server of the page for this computer's user.

import Foundation
import TestSupport
import Testing

@testable import LocalServers

@Suite struct LocalWebServerTests {
    // MARK: The address of the listener

    @Test func onlyTheLoopbackAddressIsListenedAt() throws {
        let rig = try PageRig()
        #expect(RawConnection(port: rig.port) != nil)
        // On Linux the whole block 127.0.0.0/8 belongs to the loopback interface, so a server that
        // listens on all addresses would also answer on this address.
        #if os(Linux)
            #expect(RawConnection(port: rig.port, address: "127.0.0.2") == nil)
        #endif
    }

    @Test func aPortThatIsTakenIsRefused() throws {
        let rig = try PageRig()
        #expect(throws: (any Error).self) {
            _ = try LocalWebServer(
                port: rig.port, files: [:], onOpen: { _ in }, onMessage: { _, _ in },
                onClose: { _ in })
        }
    }

    // MARK: Host

    @Test(arguments: [
        "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost",
        "0.0.0.0:PORT",
        "127.0.0.1.evil.example:PORT", "[::1]:PORT", "127.0.0.2:PORT", "", "localhost.:PORT",
    ])
    func aForgedHostIsRefused(host: String) throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let host = host.replacingOccurrences(of: "PORT", with: String(rig.port))
        #expect(try rig.request("GET", "/", host: host, [cookie])?.status == 403)
        #expect(try rig.request("GET", rig.admission, host: host)?.status == 403)
        #expect(
            try rig.upgrade(host: host, origin: "http://\(rig.host)", [cookie]).status == 403)
    }

    @Test func aRequestWithTwoHostsOrNoneIsRefused() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let two = try rig.request("GET", "/", [cookie, "Host: \(rig.host)"])
        #expect([400, 403].contains(try #require(two).status))
        let connection = try rig.connection()
        connection.send("GET / HTTP/1.0\r\n\(cookie)\r\n\r\n")
        #expect(Response(connection.readToEnd())?.status == 403)
    }

    @Test func localhostIsTheOtherNameOfTheServer() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let host = "localhost:\(rig.port)"
        #expect(try rig.request("GET", "/", host: host, [cookie])?.status == 200)
        #expect(try rig.upgrade(host: host, origin: "http://\(host)", [cookie]).status == 101)
    }

    // MARK: Origin

    @Test(arguments: [
        "http://evil.example", "http://127.0.0.1:1", "http://127.0.0.1", "https://127.0.0.1:PORT",
        "null", "http://localhost:PORT", "http://192.168.0.1:PORT", "file://", "",
        "http://127.0.0.1:PORT.evil.example", "http://127.0.0.1:PORT/",
    ])
    func aForeignOriginOpensNoWebSocketEvenWithTheCookie(origin: String) throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let origin = origin.replacingOccurrences(of: "PORT", with: String(rig.port))
        #expect(try rig.upgrade(origin: origin, [cookie]).status == 403)
        #expect(rig.visits.soFar.opened.isEmpty)
        #expect(try rig.request("GET", "/", [cookie, "Origin: \(origin)"])?.status == 403)
    }

    @Test func twoOriginsAreRefused() throws {
        let rig = try PageRig()
        let headers = [try rig.cookie(), "Origin: http://evil.example"]
        #expect(try rig.upgrade(origin: "http://\(rig.host)", headers).status == 403)
    }

    @Test func aProgramWithoutOriginNeedsTheCookieToo() throws {
        let rig = try PageRig()
        #expect(try rig.upgrade(origin: nil, []).status == 403)
        #expect(try rig.upgrade(origin: nil, [try rig.cookie()]).status == 101)
    }

    @Test func theUserOfAConnectionIsInTheTableOfTheKernel() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout
               0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
               1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     7        0 2
               2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3
               3: 0200007F:C351 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 4
            """
        #expect(LoopbackPeer.user(at: 0xC350, connectedTo: 0x1F90, in: table) == 1_001)
        #expect(LoopbackPeer.user(at: 0xC351, connectedTo: 0x1F90, in: table) == nil)
        #expect(LoopbackPeer.user(at: 80, connectedTo: 0x1F90, in: table) == nil)
        let mapped = table.replacingOccurrences(
            of: "0100007F", with: "0000000000000000FFFF00000100007F")
        #expect(LoopbackPeer.user(at: 0xC350, connectedTo: 0x1F90, in: mapped) == 1_001)
    }

    #if os(Linux)
        @Test func theTableOfTheKernelIsReadToItsEnd() throws {
            let rig = try PageRig()
            let connections = (0..<60).map { _ in RawConnection(port: rig.port) }
            let lines = LoopbackPeer.table("/proc/net/tcp").split(separator: "\n")
            withExtendedLifetime(connections) { #expect(lines.count > 60) }
        }
    #endif

    // MARK: Token and cookie

    @Test func theTokenIsExchangedForACookieAndTheURLBecomesClean() throws {
        let rig = try PageRig()
        let token = try #require(rig.server.url.split(separator: "=").last)
        #expect(token.count == 32)
        let response = try #require(try rig.request("GET", rig.admission))
        #expect(response.status == 303)
        #expect(response.headers["location"] == "/#\(rig.server.keys.key)")
        let cookie = try #require(response.headers["set-cookie"])
        #expect(cookie.hasPrefix("haptic-bridge-\(rig.port)="))
        #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
        #expect(!cookie.contains(token))
    }

    @Test func theTokenIsOfNoUseASecondTime() throws {
        let rig = try PageRig()
        let used = rig.admission
        let cookie = try rig.cookie()
        let again = try #require(try rig.request("GET", used))
        #expect(again.status == 403 && again.headers["set-cookie"] == nil)
        // A browser that has the cookie may open the address again from its history.
        let back = try #require(try rig.request("GET", used, [cookie]))
        #expect(back.status == 303 && back.headers["set-cookie"] == nil)
        #expect(back.headers["location"] == "/", "the cookie alone does not provide a key")
        // A second browser needs a new URL, which the server creates when that browser sends a
        // request.
        #expect(again.body.contains("Open the latest address"), "\(again.body)")
        #expect(rig.visits.soFar.strangers == [rig.server.url])
        #expect(rig.admission != used)
        #expect(try rig.request("GET", rig.admission)?.status == 303)
    }

    @Test(arguments: ["", "0", String(repeating: "0", count: 32), "%00", "a b", "x&token=y"])
    func aWrongTokenAdmitsNobody(token: String) throws {
        let rig = try PageRig()
        let response = try rig.request(
            "GET", "/?token=\(token.replacingOccurrences(of: " ", with: "+"))")
        #expect(response?.status == 403)
        #expect(response?.headers["set-cookie"] == nil)
    }

    @Test func theTokenOpensNoWebSocketAndIsNotSpentByOtherMethods() throws {
        let rig = try PageRig()
        let query = rig.admission.dropFirst()
        let upgrade = try rig.upgrade(origin: "http://\(rig.host)", [], path: "/live" + query)
        #expect(upgrade.status == 404)
        #expect(try rig.request("HEAD", rig.admission)?.status == 404)
        #expect(try rig.request("POST", rig.admission)?.status == 405)
        #expect(try rig.request("GET", rig.admission)?.status == 303)
    }

    /// Checks that the cookie alone is not sufficient, because servers on other ports also receive
    /// the cookie.
    @Test func theCookieAloneOpensNoWebSocket() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let (key, origin) = (rig.server.keys.key.description, "http://\(rig.host)")
        let token = try #require(rig.server.url.split(separator: "=").last)
        for query in ["", "?", "?key=", "?key=\(token)", "?key=\(key)0", "?key=\(key.dropLast())"] {
            let upgrade = try rig.upgrade(origin: origin, [cookie], path: "/live" + query)
            #expect(upgrade.status == 403, "\(query)")
        }
        #expect(
            try rig.upgrade(origin: origin, []).status == 403,
            "the key alone does not open a WebSocket")
        #expect(try rig.upgrade(origin: origin, [cookie]).status == 101)
    }

    @Test(arguments: ["/", "/studio.css", "/live", "/nothing"])
    func withoutTheCookieNothingIsServed(path: String) throws {
        let rig = try PageRig()
        let wrong = "Cookie: haptic-bridge-\(rig.port)=\(String(repeating: "0", count: 32))"
        let foreign = try rig.cookie().replacingOccurrences(of: "\(rig.port)=", with: "1=")
        for headers in [[], [wrong], [foreign]] {
            #expect(try rig.request("GET", path, headers)?.status == 403)
            #expect(
                try rig.upgrade(origin: "http://\(rig.host)", headers, path: path).status == 403)
        }
    }

    // MARK: Files and methods

    @Test func theFilesOfThePageAreServedWithTheirTypes() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let page = try #require(try rig.request("GET", "/", [cookie, "Cookie: other=1"]))
        #expect(page.status == 200 && page.body == PageRig.page)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        let script = try #require(try rig.request("GET", "/parts/time.js?1", [cookie]))
        #expect(script.headers["content-type"] == "text/javascript; charset=utf-8")
        let head = try #require(try rig.request("HEAD", "/studio.css", [cookie]))
        #expect(head.body.isEmpty && head.headers["content-length"] == "4")
    }

    @Test(arguments: [
        "/../../etc/passwd", "/parts/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd", "//etc/passwd", "/etc/passwd", "/parts", "/parts/",
        "/./index.html",
        "/index.html%00.css", "/..\\..\\etc\\passwd", "http://127.0.0.1/index.html", "*",
    ])
    func aPathOutOfThePageIsNotFound(path: String) throws {
        let rig = try PageRig()
        let response = try #require(try rig.request("GET", path, [try rig.cookie()]))
        #expect([400, 404].contains(response.status))
        #expect(!response.body.contains("root:"))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
    func otherMethodsAreRefused(method: String) throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let response = try #require(try rig.request(method, "/", [cookie]))
        #expect(response.status == 405 && response.headers["allow"] == "GET, HEAD")
        #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control-") })
    }

    @Test func aRequestWithABodyIsRefused() throws {
        let rig = try PageRig()
        let connection = try rig.connection()
        connection.send(
            "GET / HTTP/1.1\r\nHost: \(rig.host)\r\n\(try rig.cookie())\r\nContent-Length: 2\r\n\r\nab"
        )
        #expect(Response(connection.readToEnd())?.status == 413)
    }

    @Test(arguments: ["/", "/nothing", "/live", "refused"])
    func everyResponseForbidsWhatThePageDoesNotNeed(path: String) throws {
        let rig = try PageRig()
        let headers = path == "refused" ? [] : [try rig.cookie()]
        let response = try #require(
            try rig.request("GET", path == "refused" ? "/" : path, headers))
        #expect(
            response.headers["content-security-policy"]
                == "default-src 'none'; script-src 'self'; style-src 'self'; "
                + "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; "
                + "base-uri 'none'; form-action 'none'")
        #expect(response.headers["x-content-type-options"] == "nosniff")
        #expect(response.headers["referrer-policy"] == "no-referrer")
        #expect(response.headers["cross-origin-resource-policy"] == "same-origin")
        #expect(response.headers["cross-origin-opener-policy"] == "same-origin")
        #expect(response.headers["cache-control"] == "no-store")
    }

    // MARK: Limits

    @Test(arguments: ["header", "headers", "target"])
    func aHeadOfMoreThan16KiBIsRefused(part: String) throws {
        let rig = try PageRig()
        let long = String(repeating: "a", count: 17 << 10)
        let many = (0..<200).map { "X-\($0): \(String(repeating: "a", count: 90))" }
        let response = try rig.request(
            "GET", part == "target" ? "/" + long : "/",
            part == "header" ? ["X: " + long] : part == "headers" ? many : [])
        #expect(response?.status == 431)
        #expect(response?.headers["content-security-policy"] != nil)
    }

    @Test func whatIsNoHTTPIsRefused() throws {
        let rig = try PageRig()
        let connection = try rig.connection()
        connection.send("\u{16}\u{3}\u{1} hello\r\n\r\n")
        #expect(Response(connection.readToEnd())?.status == 400)
    }

    @Test func theSeventeenthConnectionIsClosed() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        // If a request on a connection has been answered, the server has accepted the connection.
        let connections = try (0..<16).map { _ in
            let connection = try rig.connection()
            connection.send("HEAD / HTTP/1.1\r\nHost: \(rig.host)\r\n\(cookie)\r\n\r\n")
            #expect(connection.readHead().hasPrefix("HTTP/1.1 200"))
            return connection
        }
        #expect(try rig.connection().readToEnd()?.isEmpty == true)
        // The connection is not completely closed until the server has also closed its end.
        connections[3].endSending()
        #expect(connections[3].readToEnd()?.isEmpty == true)
        #expect(try rig.request("GET", "/", [cookie])?.status == 200)
    }

    /// Checks that idle or unauthorized connections do not prevent a page from connecting.
    @Test func aPageComesInThroughACrowdThatWasNotAdmitted() throws {
        let rig = try PageRig()
        let cookie = try rig.cookie()
        let socket = try rig.socket()
        let silent = try (0..<15).map { _ in try rig.connection() }
        silent[1].send("GET / HTTP/1.1\r\nHost: ")
        for _ in 0..<3 { #expect(try rig.request("GET", "/", [cookie])?.status == 200) }
        // The oldest idle connection was closed, and the existing page remains connected.
        #expect(silent[0].readToEnd()?.isEmpty == true)
        rig.server.close()
        #expect(rig.visits.soFar.closed.count == 1)
        withExtendedLifetime((socket, silent)) {}
    }

    // MARK: The end

    @Test func theEndOfTheServerClosesItsPagesAndItsPort() throws {
        let rig = try PageRig()
        let socket = try rig.socket()
        rig.server.close()
        #expect(socket.readToEnd() != nil)
        #expect(rig.visits.soFar.closed.count == 1)
        #expect(RawConnection(port: rig.port) == nil)
    }
}
