// Tests that live streams follow the host's clock, even if the board's clock runs at a different
// rate.

import BridgeLink
import HapticPatterns
import TestSupport
import Testing

@testable import BoardEngine
@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

@Suite struct LivePacingTests {
    /// Returns a pattern with levels that change every 20 ms.
    private static func steps(_ count: Int) -> HapticPattern {
        HapticPattern(
            events: (0..<count).map { index in
                HapticEvent(
                    .hapticContinuous, time: Microseconds(index) * 20_000, duration: 20_000,
                    intensity: index.isMultiple(of: 2) ? 0.3 : 0.6)
            })
    }

    /// Returns the lateness of each step, in microseconds of the host's clock.
    private func errors(of count: Int, on client: LiveClient) throws -> [Double] {
        client.run(for: 20_000)
        let start = try #require(client.live.segment?.start)
        client.run(for: Microseconds(count) * 20_000)
        let writes = client.link.levels(since: start).filter { $0.value > 0 }
        try #require(writes.count == count)
        return zip(0..., writes).map { $1.time - Double($0) * 20_000 }
    }

    @Test(
        "the last event of a minute is as exact as the first",
        arguments: [(LineDelays.Kind.usb, 5_000.0, 3_000), (.pty, -5_000, 600)])
    func keepsToTheHostsClock(line: LineDelays.Kind, drift: Double, count: Int) throws {
        let client = try #require(LiveClient(line, drift: drift, seed: 5))
        _ = client.start(Self.steps(count))
        let errors = try errors(of: count, on: client)
        #expect(errors.allSatisfy { abs($0) <= 500 }, "\(errors.map { abs($0) }.max()!)")
        let settled = errors.dropFirst(250)
        #expect(settled.allSatisfy { abs($0) <= 60 }, "\(settled.map { abs($0) }.max()!)")
        #expect(client.rejects.isEmpty && client.faults.isEmpty)
    }

    @Test(arguments: [-5_000.0, 5_000])
    func changesLeaveTheScaleWhatItIs(drift: Double) throws {
        let client = try #require(LiveClient(.usb, drift: drift, seed: 8))
        let steps = client.start(Self.steps(1_000))
        client.run(for: 20_000)
        let start = try #require(client.live.segment?.start)
        // A second player changes continuously, but its output is masked by the first player.
        let other = client.start(.held(0.05))
        for step in 0..<400 {
            client.run(for: 33_000 + Microseconds(step % 7) * 1_100)
            let value = HapticDynamicParameter(
                .hapticIntensityControl, time: 0, value: step.isMultiple(of: 2) ? 0.5 : 1)
            client.perform(.send([value], at: 0), of: other)
        }
        let writes = client.link.levels(since: start)
        let changes = zip(writes, writes.dropFirst()).filter { $0.value != $1.value }.map(\.1.time)
        let errors = changes.map { time -> Double in
            let rest = time.truncatingRemainder(dividingBy: 20_000)
            return min(rest, 20_000 - rest)
        }
        try #require(errors.count > 700)
        // The new segment begins between two ticks of the previous segment.
        #expect(errors.dropFirst(250).allSatisfy { $0 <= 125 + 60 }, "\(errors.max()!)")
        client.perform(.stop(at: 0), of: steps)
        client.perform(.stop(at: 0), of: other)
        client.run(for: 300_000)
        #expect(client.level == 0)
        #expect(client.rejects.isEmpty && client.faults.isEmpty)
    }
}
