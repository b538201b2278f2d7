// Tests that run the sampler example as a user runs it.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(80))) struct SamplerTests {
    private func sampler(_ keys: String, port: String) throws -> Outcome {
        try RunningTool(
            Tool.executable("examples"), ["sampler"], input: Data(keys.utf8),
            environment: ["BRIDGE_PORT": port]
        ).outcome()
    }

    @Test func aKeyThatIsPressedWhileAnotherSoundsLiesOverIt() throws {
        let board = try LiveBoard()
        // The user plays a breath of the purr for 1.6 s and, half a second later, the latch. The
        // bolt of the latch is a tap of intensity 1.
        let outcome = try sampler("5  1q", port: board.port)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let levels = board.transactions.filter { $0.write?.register == 2 }
        let bolt = try #require(levels.lastIndex { $0.write!.value == 255 })
        #expect(
            levels[..<bolt].contains { 1..<160 ~= $0.write!.value },
            "the purr plays before the bolt")
        #expect(
            levels[bolt...].contains { 1..<160 ~= $0.write!.value }, "the purr plays after the bolt"
        )
        #expect(levels.last!.start - levels[bolt].start > 800_000, "the purr plays to its end")
        #expect(wait { board.isAtRest })
    }

    @Test func everyKeyPlays() throws {
        for key in 1...8 {
            let board = try LiveBoard()
            #expect(try sampler("\(key)\u{3}", port: board.port).status == 0)
            #expect(board.hasDriven, "\(key)")
        }
    }

    @Test func withoutABoardItPlaysUnfeltAndSaysWhy() throws {
        let began = ContinuousClock.now
        let outcome = try sampler("5", port: "/nowhere")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Nothing is felt") && outcome.errors.contains("/nowhere"))
        #expect(ContinuousClock.now - began > .seconds(1), "the purr plays to its end")
    }
}
