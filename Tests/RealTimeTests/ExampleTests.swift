// Tests that run the examples as a user runs them.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct ExampleTests {
    private func run(_ arguments: [String], port: String = "/nowhere") throws -> Outcome {
        try RunningTool(
            Tool.executable("examples"), arguments, environment: ["BRIDGE_PORT": port]
        ).outcome()
    }

    @Test func theBallIsFeltLessFromBounceToBounce() throws {
        let board = try LiveBoard()
        let outcome = try run(["ball"], port: board.port)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let levels = board.levels(since: 0)
        #expect(levels.count >= 5 && zip(levels, levels.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(outcome.output.hasPrefix("a collision at "))
        #expect(wait { board.isAtRest })
        let onVirtualBoard = try run(["ball", "--virtual"])
        #expect(onVirtualBoard.status == 0 && onVirtualBoard.errors.isEmpty, "\(onVirtualBoard)")
    }

    @Test func theDialClicks() throws {
        let board = try LiveBoard()
        let outcome = try run(["dial"], port: board.port)
        #expect(outcome.status == 0, "\(outcome.errors)")
        // The dial turns by at most 105, 47 and 262 degrees, with a detent every 15 degrees. A few
        // clicks are too close together to be distinguished.
        #expect((12...27).contains(board.levels(since: 0).count))
        #expect(Set(board.levels(since: 0)) == [64])
        #expect(wait { board.isAtRest })
    }
}
