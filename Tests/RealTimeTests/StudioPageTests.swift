// Tests of `bridge studio` as a program with a port and a board that its user and other users
// access.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct StudioPageTests {
    private let folder = Folder()

    /// Starts a studio, and opens the page at the address that the studio prints.
    private func studio(
        _ options: String...
    ) throws -> (tool: RunningTool, url: String, page: PageClient) {
        let path = try folder.write("a.ahap", BoardSamples.buzz)
        let tool = try RunningTool(
            Tool.executable("bridge"), ["studio", "--no-browser", path] + options)
        #expect(wait { tool.output.contains("\n") || !tool.isRunning }, "\(tool.errors)")
        let url = tool.output.trimmingCharacters(in: .newlines)
        return (tool, url, try PageClient(url))
    }

    private func end(_ tool: RunningTool) {
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
    }

    /// Returns the status of the response to a request.
    private func status(_ port: Int, _ target: String, _ headers: String...) -> String {
        let connection = RawConnection(port: port)
        connection?.send(
            (["GET \(target) HTTP/1.1"] + headers + ["Connection: close"])
                .joined(separator: "\r\n") + "\r\n\r\n")
        let answer = String(decoding: connection?.readToEnd() ?? [], as: UTF8.self)
        return answer.split(separator: " ").dropFirst().first.map(String.init) ?? "none"
    }

    @Test func aPatternIsFeltUntilThePageIsClosed() throws {
        let board = try LiveBoard()
        let (tool, _, page) = try studio("--port", board.port)
        _ = page.next("board") { $0["felt"] as? Bool == true }
        page.send(#"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
        page.send(bytes: frame(0x88, []))
        #expect(wait { board.isAtRest })
        end(tool)
    }

    /// Checks that the server rejects the connection of a different user of this computer, even
    /// with the cookie.
    private func aStrangerIsTurnedAway(_ port: Int, _ cookie: String) throws {
        #if os(Linux)
            guard geteuid() == 0 else { return }
            let request = "GET / HTTP/1.1\\r\\nHost: 127.0.0.1:\(port)\\r\\n\(cookie)\\r\\n\\r\\n"
            let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; cat <&3"
            let words = ["--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script]
            let outcome = try RunningTool(URL(fileURLWithPath: "/usr/bin/setpriv"), words).outcome()
            #expect(!outcome.output.contains("HTTP/1.1"), "\(outcome)")
        #endif
    }

    @Test func attacksAtItsPortAreTurnedAway() throws {
        let (tool, url, page) = try studio("--virtual")
        let (port, cookie, key) = (page.port, page.cookie, page.key)
        let host = "Host: 127.0.0.1:\(port)"
        #expect(status(port, "/", host, cookie) == "200")
        #expect(status(port, "/", "Host: evil.example:\(port)", cookie) == "403")
        #expect(status(port, "/", host, cookie, "Origin: http://evil.example") == "403")
        #expect(status(port, "/", host) == "403")
        #expect(status(port, "/?token=0123456789abcdef0123456789abcdef", host) == "403")
        // The token in the printed address has already been used.
        #expect(status(port, "/?\(URL(string: url)?.query ?? "")", host) == "403")
        // Because of the rejected requests, the server has printed one more address, which
        // authorizes another browser once.
        #expect(wait { tool.output.split(separator: "\n").count == 2 }, "\(tool.output)")
        #expect(tool.errors.contains("a browser without access"), "\(tool.errors)")
        for origin in ["http://evil.example", "null", "http://127.0.0.1:\(port + 1)"] {
            let (_, status) = try PageClient.upgrade(
                port, origin: origin, cookie: cookie, key: key)
            #expect(status == 403, "\(origin)")
        }
        let forgery = "Cookie: haptic-bridge-\(port)=0"
        #expect(try PageClient.upgrade(port, cookie: forgery, key: key).status == 403)
        #expect(try PageClient.upgrade(port, cookie: cookie, key: "0").status == 403)
        try aStrangerIsTurnedAway(port, cookie)
        for target in ["/../a.ahap", "/a.ahap", "/%2e%2e/etc/passwd", "//etc/passwd"] {
            #expect(status(port, target, host, cookie) == "404", "\(target)")
        }
        let (other, opened) = try PageClient.upgrade(port, cookie: cookie, key: key)
        #expect(opened == 101)
        // The header of a frame of 2^62 bytes must end only the connection on which it is received.
        other.send([0x81, 0xFF, 0x40] + [UInt8](repeating: 0, count: 7) + [1, 2, 3, 4])
        #expect(other.readToEnd() != nil)
        page.send(#"{"type":"save"}"#)
        #expect(page.next("document") { $0["cause"] as? String == "save" } != nil)
        end(tool)
    }
}
