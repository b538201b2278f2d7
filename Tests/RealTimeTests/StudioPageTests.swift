// bridge studio as its users and others reach it: a program, its port and a board.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct StudioPageTests {
    private let folder = Folder()

    /// Returns the status of the answer to a request.
    private func status(_ port: Int, _ target: String, _ headers: String...) -> String {
        let connection = RawConnection(port: port)
        connection?.send(
            (["GET \(target) HTTP/1.1"] + headers + ["Connection: close"])
                .joined(separator: "\r\n") + "\r\n\r\n")
        let answer = String(decoding: connection?.readToEnd() ?? [], as: UTF8.self)
        return answer.split(separator: " ").dropFirst().first.map(String.init) ?? "none"
    }

    @Test func aPatternIsFeltForItsUserAloneUntilThePageIsClosed() throws {
        let board = try LiveBoard()
        let path = try folder.write("a.ahap", BoardSamples.buzz)
        let tool = try RunningTool(
            Tool.executable("bridge"), ["studio", "--no-browser", "--port", board.port, path])
        #expect(wait { tool.output.contains("\n") || !tool.isRunning }, "\(tool.errors)")
        let url = tool.output.trimmingCharacters(in: .newlines)
        let page = try PageClient(url)
        let host = "Host: 127.0.0.1:\(page.port)"
        #expect(status(page.port, "/", host, page.cookie) == "200")
        #expect(status(page.port, "/a.ahap", host, page.cookie) == "404")
        #expect(status(page.port, "/", host) == "403")
        #expect(status(page.port, "/?\(URL(string: url)?.query ?? "")", host) == "403")
        #expect(status(page.port, "/", "Host: evil.example", page.cookie) == "403")
        _ = page.next("board") { $0["felt"] as? Bool == true }
        page.send(#"{"type":"play","from":0}"#)
        #expect(wait { board.level > 0 })
        page.send(bytes: frame(0x88, []))
        #expect(wait { board.isAtRest })
        tool.signal(SIGINT)
        #expect(tool.outcome().wasEnded(by: SIGINT))
    }
}
