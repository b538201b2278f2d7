// Tests of the detents of a dial, in simulated time.

import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import SerialPorts
import TestSupport
import Testing

@testable import HapticBridge

@Suite(.virtualTime) struct HapticDetentsTests {
    /// Turns a dial through positions at intervals of 0.1 s, and returns the detents at which it
    /// clicks.
    private func clicks(
        _ detents: inout HapticDetents, through positions: [Double], from time: TimeInterval = 0
    ) -> [HapticDetents.Click] {
        positions.enumerated().compactMap { index, position in
            detents.move(to: position, at: time + Double(index) * 0.1)
        }
    }

    @Test func aSteadyTurnClicksOnceAtEachDetentInBothDirections() {
        var detents = HapticDetents(spacing: 15)
        let up = clicks(&detents, through: Array(stride(from: 0, through: 45, by: 1)))
        #expect(up == [1, 2, 3].map { .init(passed: 1, detent: $0) })
        let down = clicks(&detents, through: Array(stride(from: 45, through: -15, by: -1)), from: 9)
        #expect(down == [2, 1, 0, -1].map { .init(passed: -1, detent: $0) })
    }

    @Test func aDialThatTremblesAtABoundaryClicksOnce() {
        var detents = HapticDetents(spacing: 1, hysteresis: 0.1)
        let trembling = (0..<100).map { 0.5 + ($0 % 2 == 0 ? 0.09 : -0.09) }
        #expect(clicks(&detents, through: trembling).isEmpty)
        #expect(clicks(&detents, through: [0.61] + trembling, from: 20).map(\.detent) == [1])
        #expect(clicks(&detents, through: [0.39], from: 40) == [.init(passed: -1, detent: 0)])
    }

    @Test func aBigJumpIsOneClick() {
        var detents = HapticDetents(spacing: 0.5)
        #expect(detents.move(to: 100, at: 0) == .init(passed: 200, detent: 200))
        #expect(detents.move(to: -100, at: 1) == .init(passed: -400, detent: -200))
        #expect(detents.detent == -200)
    }

    @Test func aValueThatChangesByItselfDoesNotClick() {
        var detents = HapticDetents(spacing: 1, from: 7)
        detents.reset(to: 20)
        #expect(detents.detent == 20)
        #expect(detents.move(to: 20.2, at: 0) == nil)
        #expect(detents.move(to: 21, at: 1) == .init(passed: 1, detent: 21))
    }

    @Test(arguments: [DeviceProfile.lra, .erm])
    func aDialThatIsSpunClicksAsFastAsTheActuatorPartsClicks(_ profile: DeviceProfile) {
        let interval = profile.clickInterval
        var detents = HapticDetents(spacing: 1, leastInterval: interval)
        var last: TimeInterval?
        var passed = 0
        for millisecond in 0..<1_500 {
            let time = Double(millisecond) / 1_000
            guard let click = detents.move(to: Double(millisecond), at: time) else { continue }
            if let last { #expect(time - last >= interval && time - last < interval + 0.002) }
            last = time
            passed += click.passed
        }
        #expect(passed > 1_400)
    }

    @Test func theIntervalOfAMotorIsLongerThanThatOfAnLRA() {
        #expect(DeviceProfile.lra.clickInterval >= 0.03)
        #expect(DeviceProfile.erm.clickInterval > DeviceProfile.lra.clickInterval)
        #expect(HapticDetents.leastInterval == DeviceProfile.erm.clickInterval)
        #expect(DeviceProfile.reference.clickInterval == 0.03)
    }

    @Test func aTurnThatReturnsMeanwhileHasPassedNothing() {
        var detents = HapticDetents(spacing: 1, leastInterval: 0.1)
        #expect(detents.move(to: 1, at: 0)?.passed == 1)
        #expect(detents.move(to: 2, at: 0.05) == nil)
        #expect(detents.move(to: 1, at: 0.2) == .init(passed: 0, detent: 1))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func aPositionThatIsNoneIsIgnored(_ position: Double) {
        var detents = HapticDetents(spacing: 1, from: position)
        #expect(detents.move(to: position, at: 0) == nil)
        detents.reset(to: position)
        #expect(detents.detent == 0)
    }

    @Test func positionsAndTimesThatAreFarAwayDoNoHarm() {
        var detents = HapticDetents(spacing: 1)
        #expect(detents.move(to: 1e300, at: .infinity)?.detent == 1_000_000_000_000_000)
        #expect(detents.move(to: -1e300, at: -.infinity) == nil)
        #expect(detents.move(to: 0, at: .nan) == nil)
    }

    // MARK: On a board

    @Test func aDialClicksOnTheBoard() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        let dial = DetentFeedbackGenerator(spacing: 15, engine: engine)
        dial.moved(to: 5)
        dial.reset(to: 300)
        for position in [314.0, 329, 331] {
            let count = board.levels(since: 0).count
            dial.moved(to: position)
            _ = position == 331 || wait { board.levels(since: 0).count > count }
            pause(Microseconds(seconds: 2 * engine.clickInterval))
        }
        #expect(wait { board.isAtRest })
        #expect(board.levels(since: 0) == [64, 64])
    }

    @Test func clicksThatFollowTooSoonAreOneClick() throws {
        let board = try LiveBoard()
        let engine = HapticEngine(device: .port(board.port))
        try engine.start()
        let selection = SelectionFeedbackGenerator(engine: engine)
        for _ in 0..<100 { selection.selectionChanged() }
        #expect(wait { !board.levels(since: 0).isEmpty && board.isAtRest })
        #expect(board.levels(since: 0) == [51])
    }
}
