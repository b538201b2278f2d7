// Tests of streams that follow the host's clock. The real session and the firmware core run in
// virtual time. The lines have delays, and the boards' clocks drift.

import BridgeLink
import HapticCompiler
import TestSupport
import Testing

@Suite struct PacingTests {
    /// Returns the lateness of each of `count` levels, in microseconds of the host's clock. The
    /// interval between levels is `ticksApart` ticks, by default 20 ms.
    private func errors(
        _ line: LineDelays.Kind, drift: Double, seed: UInt64, count: Int, ticksApart: Int = 80,
        after: Microseconds
    ) throws -> [Double] {
        let events = (0..<count).map {
            StreamEvent(.level(UInt8(60 + $0 % 2 * 90)), at: $0 * ticksApart)
        }
        let end = StreamEvent(.end, at: count * ticksApart)
        let spacing = Microseconds(ticksApart) * 250
        let link = JitterLink(line, drift: drift, seed: seed)
        #expect(link.connect())
        let start = link.now + after
        link.begin(EventStreamEncoder.encode(events + [end]), start: .at(start))
        let limit = start + Microseconds(count) * spacing + 2_000_000
        #expect(link.run(until: limit) { $0.playback?.outcome != nil })
        #expect(try link.playback?.outcome?.get() == .played)
        let writes = link.levels(since: start)
        try #require(writes.count > count)
        return zip(0..., writes.prefix(count)).map { index, write in
            write.time - Double(index) * Double(spacing)
        }
    }

    @Test(
        "the last event of a pattern is as exact as all others",
        arguments: [LineDelays.Kind.usb, .pty, .ownUSB], [-5_000.0, -80, 30, 5_000])
    func keepsToTheHostsClock(line: LineDelays.Kind, drift: Double) throws {
        let errors = try errors(line, drift: drift, seed: 5, count: 600, after: 200_000)
        #expect(errors.allSatisfy { abs($0) <= 500 })
        #expect(errors.dropFirst(250).allSatisfy { abs($0) <= 60 })
    }

    @Test func aStartThatIsLongAheadIsKeptTo() throws {
        let errors = try errors(.usb, drift: 5_000, seed: 2, count: 20, after: 20_000_000)
        #expect(errors.allSatisfy { abs($0) <= 60 })
    }

    @Test(arguments: [-5_000.0, 30, 5_000])
    func whatFollowsALongGapIsAsExact(drift: Double) throws {
        let errors = try errors(
            .usb, drift: drift, seed: 4, count: 4, ticksApart: 40_000, after: 100_000)
        #expect(errors.dropFirst().allSatisfy { abs($0) <= 150 }, "\(errors)")
    }

    @Test func levelsStayInOrderWhileTheScaleChanges() throws {
        let errors = try errors(.usb, drift: -5_000, seed: 9, count: 400, after: 30_000)
        let steps = zip(errors, errors.dropFirst()).map { $1 - $0 }
        #expect(
            steps.allSatisfy { abs($0) <= 220 }, "1 % of 20 ms, plus the rounding to whole ticks")
    }
}
