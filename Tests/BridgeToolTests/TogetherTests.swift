// Tests of `bridge play --at`, and of one pattern that is played on several boards.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct TogetherTests {
    let folder = Folder()

    private func tap() throws -> String { try folder.write("tap.ahap", Samples.tap) }

    /// Starts a pattern of ten minutes on all boards. Returns as soon as the actuators of all
    /// boards are driven.
    private func playing(on boards: [LiveBoard]) throws -> RunningTool {
        let ports = boards.flatMap { ["--port", $0.port] }
        let path = try folder.write("long.ahap", Samples.buzz(seconds: 600))
        let tool = try RunningTool(Tool.executable("bridge"), ["play"] + ports + [path])
        #expect(wait { boards.allSatisfy { $0.level > 0 } })
        return tool
    }

    @Test func aStartThatIsNamedIsKeptTo() throws {
        let outcome = try Tool.bridge(
            "play", "--virtual", "--json", "--at", "+3",
            folder.write("long.ahap", Samples.buzz(seconds: 1)))
        #expect(outcome.status == 0)
        let clock = try #require(outcome.objects.first?["clock_lateness_us"] as? [String: Int])
        #expect(Set(clock.keys) == ["least", "most", "error_bound"])
    }

    @Test func boardsPlayTogetherAndTheirSkewIsReported() throws {
        let boards = try [LiveBoard("--id", "a1"), LiveBoard("--id", "a2")]
        let outcome = try Tool.bridge(
            "play", "--json", "--port", boards[0].port, "--port", boards[1].port,
            folder.write("long.ahap", Samples.buzz(seconds: 1)))
        #expect(outcome.status == 0)
        #expect(
            outcome.objects.map { $0["schema"] as? String } == [
                "bridge.play/1", "bridge.play/1", "bridge.skew/1",
            ])
        let skew = try #require(outcome.objects.last)
        #expect(skew["boards"] as? Int == 2 && skew["skew_us"] is Int)
        for board in boards { #expect(board.hasDriven && wait { board.isAtRest }) }
    }

    @Test func aPortThatIsNamedTwiceIsRefused() throws {
        let outcome = try Tool.bridge(
            "play", "--port", "/dev/x", "--port", "/dev/y", "--port", "/dev/x", tap())
        #expect(outcome.status == 64 && outcome.errors.contains("--port /dev/x is given twice"))
    }

    @Test func aSignalStopsAllOfThem() throws {
        let boards = try [LiveBoard("--id", "a1"), LiveBoard("--id", "a2")]
        let tool = try playing(on: boards)
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT))
        let path = folder.path("long.ahap")
        for board in boards {
            #expect(outcome.output.contains("\(board.port): \(path): stopped after "))
        }
        #expect(outcome.output.contains(" of 600.00 s, 1 level\n"), "\(outcome)")
        #expect(wait { boards.allSatisfy(\.isAtRest) })
    }

    @Test func oneThatGoesAwayStopsTheOthers() throws {
        let boards = try [LiveBoard("--id", "a1"), LiveBoard("--id", "a2")]
        let tool = try playing(on: boards)
        #expect(boards[1].end() == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains("unplugged"))
        #expect(wait { boards[0].isAtRest })
    }

    @Test func aMissingBoardKeepsAllOfThemSilent() throws {
        let board = try LiveBoard()
        let outcome = try Tool.bridge(
            "play", "--port", board.port, "--port", "/dev/nonesuch", tap())
        #expect(outcome.status == 69 && outcome.errors.contains("/dev/nonesuch"))
        #expect(!board.hasDriven)
    }

    @Test func anUnconfiguredBoardIsNamedAndTheOthersStaySilent() throws {
        let boards = try [LiveBoard("--id", "a1"), LiveBoard("--id", "a2", "--unconfigured")]
        let outcome = try Tool.bridge(
            "play", "--port", boards[0].port, "--port", boards[1].port,
            folder.write("long.ahap", Samples.buzz(seconds: 2)))
        #expect(outcome.status == 78 && !outcome.errors.contains("warning"))
        #expect(outcome.errors.contains("bridge actuator set --port \(boards[1].port)"))
        #expect(!outcome.errors.contains(boards[0].port))
        #expect(!boards[0].hasDriven)
    }

    @Test(arguments: [
        ["--at", "soon"], ["--at", "+-1"], ["--at", "nan"], ["--at", "+0.01"], ["--at", "1"],
    ])
    func timesThatCannotBeKeptAreRefused(option: [String]) throws {
        let outcome = try Tool.bridge("play", "--virtual", option[0], option[1], tap())
        #expect(outcome.status == 64 && outcome.errors.contains("--at"))
    }

    @Test func aTimeIsThatOfOneFile() throws {
        let outcome = try Tool.bridge("play", "--virtual", "--at", "+1", tap(), tap())
        #expect(outcome.status == 64 && outcome.errors.contains("a single file"))
    }

    @Test func otherCommandsTalkToOneBoard() throws {
        let outcome = try Tool.bridge("info", "--port", "/dev/a", "--port", "/dev/b")
        #expect(outcome.status == 64 && outcome.errors.contains("one --port"))
    }
}
