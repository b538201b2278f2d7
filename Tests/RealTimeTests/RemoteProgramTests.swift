// Tests of programs on other computers that use a board over TCP and are killed or suspended.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct RemoteProgramTests {
    private let folder = Folder()

    /// Serves a board over TCP. A remote program plays a pattern of ten minutes on the board.
    private func playing(on board: LiveBoard) throws -> (server: RunningTool, tool: RunningTool) {
        let key = folder.path("key")
        let server = try RunningTool(
            Tool.executable("bridge"),
            ["serve", "--json", "--port", board.port, "--tcp", "0", "--key-file", key],
            environment: ["XDG_CONFIG_HOME": folder.url.path])
        #expect(wait { server.output.hasSuffix("}\n") || !server.isRunning })
        let line = try JSONSerialization.jsonObject(with: Data(server.output.utf8))
        let path = try #require((line as? [String: Any])?["tcp"] as? String, "\(server.errors)")
        let home = folder.url.appendingPathComponent("elsewhere")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            [
                "play", folder.write("buzz.ahap", BoardSamples.buzz), "--port", path,
                "--key-file", key,
            ], environment: ["XDG_RUNTIME_DIR": home.path, "XDG_CONFIG_HOME": home.path])
        #expect(wait { board.level > 0 || !tool.isRunning })
        #expect(board.level > 0, "\(tool.errors)")
        return (server, tool)
    }

    /// Checks that the server detects a silent program and the end of a program's connection.
    @Test(arguments: [SIGSTOP, SIGKILL]) func itsPlayersEndWithIt(signal: Int32) throws {
        let board = try LiveBoard()
        let (server, tool) = try playing(on: board)
        tool.signal(signal)
        #expect(wait(seconds: 2) { board.isAtRest })
        tool.signal(SIGKILL)
        tool.signal(SIGCONT)
        #expect(tool.outcome().wasKilled)
        #expect(server.isRunning)
        server.signal(SIGINT)
        #expect(server.outcome().wasEnded(by: SIGINT))
    }
}
