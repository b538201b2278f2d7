// Tests of `bridge play --watch`: each saved change is played immediately, from just before the
// first changed event.

import Foundation
import TestSupport
import Testing

@Suite(.virtualTool) struct WatchTests {
    let folder = Folder()

    private func transient(at time: Double, _ intensity: Double = 1) -> String {
        #"{"Event":{"Time":\#(time),"EventType":"HapticTransient","EventParameters":["#
            + #"{"ParameterID":"HapticIntensity","ParameterValue":\#(intensity)}]}}"#
    }

    private func taps(_ times: Double..., intensity: Double = 1) -> String {
        let events = times.map { transient(at: $0, intensity) }
        return #"{"Version":1,"Pattern":[\#(events.joined(separator: ",\n"))]}"#
    }

    /// Starts to watch a file. Returns when the first version of the file plays.
    private func watching(
        _ text: String, on board: LiveBoard, _ options: String...
    ) throws -> RunningTool {
        let path = try folder.write("a.ahap", text)
        let tool = try RunningTool(
            Tool.executable("bridge"),
            ["play", "--watch", "--json", "--port", board.port] + options + [path])
        #expect(wait { saves(of: tool).count == 1 }, "\(tool.errors)")
        return tool
    }

    private func saves(of tool: RunningTool) -> [[String: Any]] {
        tool.output.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    private func outcomes(of tool: RunningTool) -> [String?] {
        saves(of: tool).map { $0["outcome"] as? String }
    }

    /// Interrupts the tool, and checks that it leaves the actuator at rest.
    private func end(_ tool: RunningTool, on board: LiveBoard) {
        tool.signal(SIGINT)
        let outcome = tool.outcome()
        #expect(outcome.wasEnded(by: SIGINT), "\(outcome)")
        #expect(board.isAtRest)
    }

    @Test func aLoopContinuesAfterAResetOfTheBoard() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board, "--loop")
        #expect(wait { board.hasDriven })
        board.reset()
        #expect(wait { tool.errors.contains("the board was reset") })
        let before = board.transactions.count
        #expect(
            wait { board.transactions.dropFirst(before).contains { $0.write?.value ?? 0 > 200 } })
        end(tool, on: board)
    }

    @Test func aSavePlaysFromJustBeforeWhatHasChanged() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board)
        #expect(wait { board.hasDriven && board.isAtRest })
        let before = board.transactions.last!.start
        _ = try folder.write("a.ahap", taps(0, 5))
        #expect(wait { saves(of: tool).count == 2 })
        let save = try #require(saves(of: tool).last)
        #expect(save["schema"] as? String == "bridge.save/1")
        #expect(save["outcome"] as? String == "playing")
        #expect(save["changed_us"] as? Int == 5_000_000 && save["from_us"] as? Int == 4_700_000)
        #expect(wait { !board.levels(since: before).isEmpty })
        end(tool, on: board)
    }

    @Test func aFileThatDoesNotParseLeavesWhatWasGoodAndSaysWhere() throws {
        let board = try LiveBoard()
        let tool = try watching(Samples.buzz(seconds: 600), on: board)
        #expect(wait { board.level > 0 })
        _ = try folder.write("a.ahap", "{\"Pattern\": [\n  }")
        #expect(wait { saves(of: tool).count == 2 })
        let save = try #require(saves(of: tool).last)
        #expect(save["outcome"] as? String == "refused")
        #expect(save["line"] as? Int == 2 && save["column"] as? Int == 3)
        #expect(tool.errors.contains("a.ahap:2:3: error"))
        #expect(board.level > 0)
        _ = try folder.write("a.ahap", Samples.buzz(seconds: 500))
        #expect(wait { saves(of: tool).count == 3 })
        #expect(outcomes(of: tool) == ["playing", "refused", "playing"])
        end(tool, on: board)
    }

    @Test func aSaveInStepsIsOneSave() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board)
        let file = try FileHandle(forWritingTo: folder.url.appendingPathComponent("a.ahap"))
        try file.truncate(atOffset: 0)
        pause(12_000)
        let text = Array(taps(0, 1).utf8)
        try file.write(contentsOf: text.prefix(40))
        pause(12_000)
        try file.write(contentsOf: text.dropFirst(40))
        try file.close()
        _ = try folder.write("draft", taps(0, 1, 2))
        pause(100_000)
        #expect(rename(folder.path("draft"), folder.path("a.ahap")) == 0)
        #expect(wait { saves(of: tool).count == 3 })
        #expect(outcomes(of: tool) == ["playing", "playing", "playing"], "\(tool.errors)")
        #expect(saves(of: tool).map { $0["changed_us"] as? Int } == [nil, 1_000_000, 2_000_000])
        end(tool, on: board)
    }

    @Test func aSaveWithoutAChangeIsFeltAgainOnlyOnceItIsOver() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0, 1.3), on: board)
        _ = try folder.write("a.ahap", taps(0, 1.3))
        #expect(wait { board.levels(since: 0).count >= 2 && board.isAtRest })
        #expect(saves(of: tool).count == 1)
        pause(1_200_000)
        _ = try folder.write("a.ahap", taps(0, 1.3))
        #expect(wait { saves(of: tool).count == 2 })
        #expect(saves(of: tool).last?["from_us"] as? Int == 0)
        end(tool, on: board)
    }

    @Test func aFileThatIsDeletedIsReportedOnceAndFeltAgainWhenItReturns() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board)
        unlink(folder.path("a.ahap"))
        #expect(wait { outcomes(of: tool) == ["playing", "refused"] })
        #expect(tool.errors.contains("no such file"))
        _ = try folder.write("a.ahap", taps(0, 2))
        #expect(wait { outcomes(of: tool) == ["playing", "refused", "playing"] })
        end(tool, on: board)
    }

    @Test func aFileThatGivesWayToAPipeIsRefusedAndFeltAgainWhenItReturns() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board)
        unlink(folder.path("a.ahap"))
        #expect(mkfifo(folder.path("a.ahap"), 0o600) == 0)
        #expect(wait { outcomes(of: tool) == ["playing", "refused"] }, "\(tool.errors)")
        unlink(folder.path("a.ahap"))
        _ = try folder.write("a.ahap", taps(0, 2))
        #expect(wait { outcomes(of: tool) == ["playing", "refused", "playing"] })
        end(tool, on: board)
    }

    @Test func aLoopRepeatsTheLastGoodPatternAtASteadyPace() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0), on: board, "--loop")
        func onsets() -> [Int] {
            let times = board.transactions.filter { $0.write?.register == 2 && $0.write!.value > 0 }
                .map(\.start)
            return times.enumerated().filter { $0 == 0 || $1 - times[$0 - 1] > 100_000 }.map(\.1)
        }
        #expect(wait { onsets().count >= 5 })
        let found = onsets()
        // The loop's first pass begins when the saved version has reached the board.
        for (one, next) in zip(found.dropFirst(), found.dropFirst(2)) {
            #expect(abs(next - one - 500_000) < 2_000, "\(found)")
        }
        end(tool, on: board)
    }

    @Test func aStopByAnotherProgramEndsTheLoopUntilTheNextSave() throws {
        let board = try LiveBoard()
        let tool = try watching(Samples.buzz(seconds: 600), on: board, "--loop")
        #expect(wait { board.level > 0 })
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0 && board.isAtRest, "\(stop)")
        pause(700_000)
        #expect(board.isAtRest)
        _ = try folder.write("a.ahap", Samples.buzz(seconds: 500))
        #expect(wait { board.level > 0 })
        end(tool, on: board)
    }

    /// Checks a stop that is requested after the next pass of the loop has already been sent to the
    /// board.
    @Test func aStopAtTheEndOfAPassEndsTheLoopToo() throws {
        let board = try LiveBoard()
        let tool = try watching(Samples.buzz(seconds: 1.5), on: board, "--loop")
        #expect(wait { board.level > 0 })
        pause(1_300_000)
        let stop = try Tool.bridge("stop", "--port", board.port)
        #expect(stop.status == 0, "\(stop)")
        #expect(wait { board.isAtRest })
        func driven() -> Int {
            board.transactions.count { $0.write?.register == 2 && $0.write!.value > 0 }
        }
        let count = driven()
        pause(2_000_000)
        #expect(board.isAtRest && driven() == count)
        end(tool, on: board)
    }

    @Test func aPlaceThatIsNamedIsWhereEverySavePlaysFrom() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0, 3), on: board, "--from", "2.5")
        _ = try folder.write("a.ahap", taps(0, 1, 3))
        #expect(wait { saves(of: tool).count == 2 })
        #expect(saves(of: tool).map { $0["from_us"] as? Int } == [2_500_000, 2_500_000])
        end(tool, on: board)
    }

    @Test func aServedBoardIsSharedWithOthers() throws {
        let board = try LiveBoard()
        let server = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", board.port])
        #expect(wait { server.output.contains("served") })
        let tool = try watching(Samples.buzz(seconds: 600), on: board)
        #expect(wait { board.level > 0 })
        let other = try Tool.bridge("play", "--port", board.port, folder.write("b.ahap", taps(0)))
        #expect(other.status == 0, "\(other)")
        _ = try folder.write("a.ahap", Samples.buzz(seconds: 500))
        #expect(wait { saves(of: tool).count == 2 })
        end(tool, on: board)
        server.signal(SIGINT)
        #expect(server.outcome().wasEnded(by: SIGINT))
    }

    @Test func aBoardThatGoesAwayIsAnError() throws {
        let board = try LiveBoard()
        let tool = try watching(Samples.buzz(seconds: 600), on: board)
        #expect(wait { board.level > 0 } && board.end() == 0)
        let outcome = tool.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains(board.port), "\(outcome)")
    }

    @Test func whatCannotBeWatchedIsRefused() throws {
        let path = try folder.write("a.ahap", taps(0))
        let refused = [
            ["--watch", "--virtual", path, path], ["--watch", "--virtual", "-"],
            ["--watch", "--virtual", "--at", "+1", path], ["--watch", "--preview", path],
            ["--watch", "--virtual", "--profile", "lra", path],
            ["--watch", "--port", "/dev/x", "--port", "/dev/y", path],
            ["--loop", "--virtual", path], ["--from", "1", "--virtual", path],
            ["--watch", "--from", "-1", "--virtual", path],
        ]
        for arguments in refused {
            let outcome = try RunningTool(Tool.executable("bridge"), ["play"] + arguments).outcome()
            #expect(outcome.status == 64, "\(arguments): \(outcome)")
        }
        let missing = try Tool.bridge("play", "--watch", "--virtual", folder.path("none.ahap"))
        #expect(missing.status == 66 && missing.errors.contains("no such file"), "\(missing)")
        let directory = try Tool.bridge("play", "--watch", "--virtual", folder.url.path)
        #expect(
            directory.status == 66 && directory.errors.contains("a directory, not a file"),
            "\(directory)")
    }

    @Test func aPlaceBehindTheEndIsRemarked() throws {
        let board = try LiveBoard()
        let tool = try watching(taps(0, 3), on: board, "--from", "9")
        #expect(wait { tool.errors.contains("--from is beyond the end") }, "\(tool.errors)")
        end(tool, on: board)
    }
}
