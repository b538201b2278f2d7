// Tests that every command can use a board over TCP.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct NetworkVerbTests {
    let folder = Folder()

    @Test func aBoardBehindADeviceServerAnswersAndPlays() throws {
        let board = try LiveBoard()
        let server = try DeviceServer(port: board.port)
        defer { server.end() }
        let info = try Tool.bridge("info", "--json", "--port", server.path)
        #expect(
            info.status == 0 && info.objects.first?["port"] as? String == server.path, "\(info)")
        let tap = try folder.write("tap.ahap", Samples.tap)
        let play = try Tool.bridge("play", "--json", "--port", server.path, tap)
        #expect(play.status == 0 && board.hasDriven && board.isAtRest, "\(play)")
        let named = try Tool.bridge("stop", environment: ["BRIDGE_PORT": server.path])
        #expect(named.status == 0, "\(named)")
    }

    @Test func aBoardBehindADeviceServerIsServedToOthers() throws {
        let board = try LiveBoard()
        let door = try DeviceServer(port: board.port)
        defer { door.end() }
        let server = try RunningTool(Tool.executable("bridge"), ["serve", "--port", door.path])
        #expect(wait { server.output.contains("served") }, "\(server.errors)")
        let tap = try folder.write("tap.ahap", Samples.tap)
        let play = try Tool.bridge("play", "--port", door.path, tap)
        #expect(play.status == 0 && board.hasDriven, "\(play)")
        server.signal(SIGINT)
        #expect(server.outcome().wasEnded(by: SIGINT))
        #expect(board.isAtRest)
    }

    /// Checks that the bound includes half of the minimum round-trip time, because the delays in
    /// the two directions cannot be distinguished.
    @Test func theStatedBoundContainsWhatTheNetworkAdds() throws {
        func bound(delay: ClosedRange<Int>) throws -> Int {
            let board = try LiveBoard()
            let server = try DeviceServer(port: board.port, delay: delay)
            defer { server.end() }
            let play = try Tool.bridge(
                "play", "--json", "--at", "+3", "--port", server.path,
                folder.write("long.ahap", Samples.buzz(seconds: 1)))
            #expect(play.status == 0, "\(play)")
            let clock = try #require(play.objects.first?["clock_lateness_us"] as? [String: Int])
            return try #require(clock["error_bound"])
        }
        let (near, far) = (try bound(delay: 0...0), try bound(delay: 8_000...20_000))
        #expect(far >= 8_000 && near < far, "\(near) µs, \(far) µs")
    }

    @Test func aConnectionThatIsCutLeavesTheBoardAtRest() throws {
        let board = try LiveBoard()
        let server = try DeviceServer(port: board.port)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["play", "--port", server.path, folder.write("a.ahap", Samples.buzz(seconds: 600))])
        #expect(wait { board.level > 0 })
        server.end()
        let outcome = tool.outcome()
        #expect(
            outcome.status == 74 && outcome.errors.contains("closed the connection"), "\(outcome)")
        #expect(wait { board.isAtRest })
    }

    @Test func anAddressThatDoesNotLeadToABoardIsExplained() throws {
        let refused = try Tool.bridge("info", "--port", "tcp://127.0.0.1:7000")
        #expect(refused.status == 69 && refused.errors.contains("no program listens"), "\(refused)")
        let play = try Tool.bridge("play", "success", "--port", "tcp://127.0.0.1:7000")
        #expect(play.status == 69 && play.errors.contains("no program listens"), "\(play)")
        let unknown = try Tool.bridge("info", "--port", "tcp://nobody.invalid:7000")
        #expect(unknown.status == 69 && unknown.errors.contains("unknown host"), "\(unknown)")
        let malformed = try Tool.bridge("info", "--port", "tcp://studio")
        #expect(malformed.status == 64 && malformed.errors.contains("HOST:PORT"), "\(malformed)")
    }

    @Test func whatNeedsTheCableIsRefused() throws {
        for verb in [["reset"], ["flash", "--board", "uno"]] {
            let outcome = try RunningTool(
                Tool.executable("bridge"), verb + ["--port", "tcp://studio:7000"]
            ).outcome()
            #expect(outcome.status == 64 && outcome.errors.contains("over TCP"), "\(outcome)")
        }
    }
}
