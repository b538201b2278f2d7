// Tests, in simulated time, that every wait ends if a board answers but does not execute requests.

import HapticPatterns
import SerialPorts
import TestSupport
import Testing

@testable import BridgeLink
@testable import HapticBoards
@testable import HapticBridge

@Suite struct OddBoardTests {
    private let calls = CallLog()

    /// Starts an engine. Returns the error, if any, and the duration of the start in microseconds;
    /// returns nil if the start does not end.
    private func outcome(of rig: SteppedEngine) -> (error: HapticError?, time: Microseconds)? {
        let start = rig.now
        let outcome = LockedValue<Result<Void, any Error>?>(nil)
        rig.core.join(
            rig.core.waiter { error in
                outcome.withLock { $0 = error.map { .failure($0) } ?? .success(()) }
            })
        guard rig.run(for: 20_000_000, until: { outcome.withLock { $0 != nil } }) else {
            return nil
        }
        do {
            try outcome.withLock { $0! }.get()
            return (nil, rig.now - start)
        } catch {
            return (error as? HapticError, rig.now - start)
        }
    }

    @Test func anActuatorThatIsNotDescribedIsLeftOut() throws {
        let rig = try SteppedEngine(actuators: 4)
        rig.toHost = { frame in
            let isThird = frame.type == .actuator && frame.payload[0] == 3
            return [isThird ? frame.rejecting(.getActuator) : frame]
        }
        let start = try #require(outcome(of: rig))
        #expect(start.error == nil)
        #expect(start.time < 1_000_000)
    }

    @Test(arguments: [MessageType.actuator, .acknowledge])
    func aStartEndsWhereTheBoardNeverSays(_ type: MessageType) throws {
        let rig = try SteppedEngine()
        rig.toHost = { $0.type == type ? [] : [$0] }
        let start = try #require(outcome(of: rig))
        #expect(start.error?.code == .engineStartTimeout)
        #expect((4_900_000...5_300_000).contains(start.time))
    }

    @Test(arguments: [MessageType.stopped, .actuator])
    func aStopEndsWhereTheBoardNeverSays(_ type: MessageType) throws {
        let rig = try SteppedEngine()
        #expect(rig.start())
        rig.toHost = { $0.type == type ? [] : [$0] }
        rig.core.stop(Handler { [calls] _ in calls.record("stopped") })
        let start = rig.now
        #expect(rig.run(for: 10_000_000) { rig.isOver })
        #expect(rig.now - start < 2_500_000)
        rig.core.callbacks.drain()
        #expect(calls.all == ["stopped"])
    }

    @Test func aBoardThatTakesNoReviseIsGivenUp() throws {
        let rig = try SteppedEngine()
        #expect(rig.start())
        rig.core.change { [calls] in $0.stoppedHandler = Handler { calls.record("stopped \($0)") } }
        // The board rejects each REVISE as if an earlier REVISE were still pending.
        var rejects: UInt8 = 0
        var next: UInt8?
        rig.toHost = { frame in
            guard frame.type == .acknowledge else { return [frame] }
            let newest = frame.payload[0] &- 1
            guard rig.sent[newest] == .revise, next != frame.payload[0] else {
                return [rig.acknowledging(frame, rejects: rejects)]
            }
            next = frame.payload[0]
            rejects &+= 1
            let reject = Reject(type: .revise, code: .pending)
            return [
                Frame(.reject(reject), sequence: newest),
                rig.acknowledging(frame, rejects: rejects),
            ]
        }
        let player = try EnginePlayer(.held(0.5), of: rig.core, keeping: nil)
        try player.start(atTime: 0)
        #expect(rig.run(for: 30_000_000) { rig.isOver })
        rig.core.callbacks.drain()
        #expect(calls.all == ["stopped systemError"])
        #expect(rig.frameCount < 10_000)
        withExtendedLifetime(player) {}
    }

    // MARK: Sleep

    private static let sleeps: [Microseconds] = [200_000, 600_000, 5_000_000]
    /// The number of bytes that the board has sent during the suspension of the host and that the
    /// host receives afterwards.
    private static let keeps = [0, 40, 4_096]

    @Test(arguments: sleeps, keeps)
    func afterASleepItContinuesOrReportsThatItHasStopped(time: Int64, kept: Int) throws {
        for delay in stride(from: Microseconds(0), to: 100_000, by: 33_000) {
            let rig = try SteppedEngine()
            #expect(rig.start())
            let calls = CallLog()
            rig.core.change { $0.stoppedHandler = Handler { calls.record("stopped \($0)") } }
            let player = try EnginePlayer(.held(0.5, for: 100_000), of: rig.core, keeping: nil)
            player.loopEnabled = true
            try player.start(atTime: 0)
            #expect(rig.run(for: 100_000) { rig.level == 128 })
            rig.run(for: delay)
            rig.sleep(for: time, keeping: kept)
            rig.run(for: 2_000_000)
            rig.core.callbacks.drain()
            if rig.isOver {
                #expect(calls.all == ["stopped systemError"])
                rig.board.advance(to: rig.board.now + 1_000_000)
                #expect(rig.level == 0)
            } else {
                #expect(rig.level == 128, "after \(delay)")
            }
            withExtendedLifetime(player) {}
        }
    }
}
