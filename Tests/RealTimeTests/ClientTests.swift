// Tests of the client package's programs on a virtual board. The programs are modeled on the
// articles about Core Haptics and depend only on the library product. `make test-client` builds the
// package and passes its folder in BRIDGE_CLIENTS.

import Foundation
import TestSupport
import Testing

private let folder = ProcessInfo.processInfo.environment["BRIDGE_CLIENTS"]

@Suite(
    .enabled(if: folder != nil, "BRIDGE_CLIENTS does not specify a folder"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
struct ClientTests {
    /// Returns the path of a program in the client package.
    func program(_ name: String) throws -> URL {
        URL(fileURLWithPath: try #require(folder)).appendingPathComponent(name)
    }

    @Test func codeShapedLikeCoreHapticsArticlesPlaysWhatItSays() throws {
        let board = try LiveBoard()
        let program = try RunningTool(
            self.program("engine"), [], environment: ["BRIDGE_PORT": board.port])
        #expect(wait { board.level == 230 || !program.isRunning })
        let beforeReset = board.levels(since: 0)
        board.reset()
        let outcome = program.outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.split(separator: "\n") == [
                "No file: -4851",
                "The player is over: no error.",
                "Reset Handler: restarting the engine.",
                "Players do not survive a reset.",
                "All players are over: no error.",
                "Finished",
                "Not running: -4805",
                "done",
            ])
        // The levels result from the tap, the dictionary's tap, the file, which plays twice, and a
        // loop with a parameter during the pattern. The first pass of the loop has ended before the
        // parameter is received.
        #expect(beforeReset == [255, 191, 204, 204, 255, 102, 102, 230])
        #expect(Array(board.levels(since: 0).dropFirst(beforeReset.count)) == [128])
        #expect(board.isAtRest)
    }

    @Test func withoutABoardThereAreNoHaptics() throws {
        let program = try RunningTool(
            self.program("engine"), [], environment: ["BRIDGE_PORT": "/nowhere"])
        let outcome = program.outcome()
        #expect(outcome.status == 1)
        #expect(outcome.output == "No haptics: -4809\n")
    }
}
