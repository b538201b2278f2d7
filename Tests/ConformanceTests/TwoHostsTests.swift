// Tests of two hosts on one line (SPEC 3): the newer host takes over the board, and the older host
// is notified.

import BridgeLink
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct TwoHostsTests {
    @Test(arguments: ConformanceBoard.available)
    func theSecondTakesOverAndTheFirstLearnsIt(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let first = rig.link
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            #expect(try first.status().state.contains(.driving))
            let before = try first.status().clock

            let second = IdealLink(rig.board, sessionID: first.session.sessionID ^ 0xFFFF)
            #expect(rig.share(with: second, limit: 2_000_000) { $0.session.phase == .open })
            let welcome = try #require(second.session.welcome)
            let status = try second.status()
            #expect(status.state.isDisjoint(with: [.driving]))
            #expect(try second.stream().state == .closed)
            if board.hasTrace {
                _ = try second.status()
                let origin = rig.board.traceTime(of: before)
                let levels = rig.board.transactions.levels.played(from: origin)
                #expect(levels.allSatisfy { $0.value == 0 })
                let silence = BoardTime(welcome.clock &- before) + board.reaction
                #expect(levels.first?.time ?? .max <= silence)
            }

            // The first host continues to send, and the board counts the frames of this host as
            // damaged.
            let damaged = try second.status().damagedFrames
            #expect(
                rig.share(with: second, limit: 2_500_000) { _ in
                    first.session.phase == .ended
                })
            #expect(first.session.endReason != nil)
            #expect(try second.status().damagedFrames &- damaged > 0)
            #expect(try second.status().state.isDisjoint(with: [.awake, .driving]))

            // The pattern of the second host plays undisturbed.
            let sample = StreamSample.taps
            let played = try PlayedPattern(
                sample.bytes, sample.events, limit: 3_000_000, on: second)
            try rig.expectFelt(played)
        }
    }
}

extension Rig {
    /// Allows both hosts to send, and passes all bytes from the board to both hosts, until
    /// `condition` is true. Returns false on timeout.
    fileprivate func share(
        with second: IdealLink, limit: BoardTime, until condition: (IdealLink) -> Bool
    ) -> Bool {
        let end = board.now + limit
        while !condition(second) {
            guard board.now < end else { return false }
            link.send()
            second.send()
            board.advance(to: board.now + 500)
            let sent = board.drainSent()
            link.listen(to: sent)
            second.listen(to: sent)
        }
        return true
    }
}
