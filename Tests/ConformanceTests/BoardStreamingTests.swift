// Tests of streams that are longer than the event memory, and of streams that run out of events
// (SPEC 4.4, 6).

import BridgeLink
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct BoardStreamingTests {
    @Test(arguments: ConformanceBoard.available)
    func aStreamOfManyTimesTheMemoryIsPlayedEventByEvent(_ board: ConformanceBoard) async throws {
        let events = StreamSample.jumps(600, ticks: 12)
        let bytes = EventStreamEncoder.encode(events)
        #expect(bytes.count > 3 * 384)
        try await board.test { rig in
            let played = try PlayedPattern(bytes, events, limit: 8_000_000, on: rig.link)
            try rig.expectFelt(played)
            #expect(played.progress.position == UInt32(601 * 12))
            guard board.hasTrace else { return }
            let levels = played.levels.map(\.value).filter { $0 != 0 }
            #expect(levels == events.levels)
        }
    }
}

@Suite struct BoardUnderrunTests {
    /// The stream contains level 200, but no event after 100 ms.
    private static let dry: [UInt8] = [0xB0, 200, 0xF1, 0x90, 0x03, 0x03]

    @Test(arguments: ConformanceBoard.available)
    func theLevelIsZeroAtOnceAndTheHostIsInformed(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let before = try rig.link.status().underruns
            let start = try rig.begin(Self.dry)
            try rig.run(to: start &+ 200_000)
            let status = try rig.link.status()
            #expect(status.underruns == before &+ 1)
            #expect(status.faults.contains(.underrun))
            #expect(try rig.link.stream().state == .dry)
            #expect(rig.notices.filter { $0.state == .dry }.count == 1)
            #expect(try rig.link.actuator().state == .awake)
            if board.hasTrace {
                let levels = try rig.levels(since: start)
                #expect(levels.map(\.value) == [200, 0])
                #expect(levels.first?.time ?? .max <= board.lateness)
                let zero = levels.last?.time ?? 0
                #expect((100_000...100_000 + board.reaction).contains(zero))
            }
            try rig.link.stop()
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func whatIsOverdueIsJoinedNotReplayed(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let before = try rig.link.status().skippedTaps
            let start = try rig.begin(Self.dry)
            try rig.run(to: start &+ 200_000)
            // The code contains a tap at 101 ms, a level at the same time, a tap at 1,101 ms, and
            // END.
            try rig.append(
                [0x91, 4, 255, 255, 0xB0, 60, 0x91, 0xA0, 0x1F, 240, 255, 0xF1, 0x50, 0x00])
            let appended = try rig.link.status().clock
            try rig.run(to: start &+ 1_200_000)
            #expect(try rig.link.status().skippedTaps == before &+ 1)
            #expect(try rig.link.stream().state == .ended)
            guard board.hasTrace else { return }
            let levels = try rig.levels(since: start)
            try #require(levels.map(\.value).prefix(6) == [200, 0, 60, 240, 60, 0])
            let joined = levels[2].time
            #expect((150_000...BoardTime(appended &- start)).contains(joined))
            let tap = levels[3].time - 1_101_000
            #expect((0...board.lateness).contains(tap))
        }
    }
}
