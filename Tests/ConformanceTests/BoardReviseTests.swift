// Tests of REVISE, which replaces the running segment with a new segment at a device time (SPEC 6).

import BridgeLink
import TestSupport
import Testing
import VirtualBoard

@Suite struct BoardReviseTests {
    @Test(arguments: ConformanceBoard.available)
    func atItsTimeTheNewSegmentReplacesTheOldOne(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            let reject = try rig.revise(
                1, at: start &+ 250_000, level: 60, [0xB1, 40, 90, 0xF1, 100, 0x00])
            #expect(reject == nil)
            let waiting = try rig.link.stream()
            #expect(waiting.generation == 1)
            #expect(waiting.state == .playing)
            try rig.run(to: start &+ 320_000)
            let stream = try rig.link.stream()
            #expect(stream.reviseTime == start &+ 250_000)
            #expect(stream.position == 140)
            #expect(stream.state == .ended)
            guard board.hasTrace else { return }
            let levels = try rig.levels(since: start).prefix(4)
            #expect(levels.map(\.value) == [200, 60, 90, 0])
            for (level, due) in zip(levels, [0, 250_000, 260_000, 285_000] as [BoardTime]) {
                #expect((0...board.lateness).contains(level.time - due))
            }
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func aTimeInThePastMeansNow(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            try rig.run(to: start &+ 50_000)
            let before = try rig.link.status().clock
            #expect(try rig.revise(1, at: start, level: 60, [0xF1, 40, 0x00]) == nil)
            let after = try rig.link.status().clock
            let stream = try rig.link.stream()
            let revised = BoardTime(stream.reviseTime &- start)
            let span = BoardTime(before &- start)...BoardTime(after &- start)
            #expect(span.contains(revised))
            guard board.hasTrace else { return }
            let levels = try rig.levels(since: start)
            try #require(levels.map(\.value).prefix(2) == [200, 60])
            #expect(span.contains(levels[1].time))
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func oneThatWaitsIsReplacedByAnEarlierOneOnly(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            let (early, late) = (start &+ 400_000, start &+ 600_000)
            #expect(try rig.revise(1, at: late, level: 60, [0xF1, 40, 0x00]) == nil)
            #expect(try rig.revise(2, at: early, level: 70, [0xF1, 40, 0x00]) == nil)
            let reject = try rig.revise(3, at: late, level: 80, [0xF1, 40, 0x00])
            #expect(reject?.code == .pending)
            #expect(reject?.limit == early)
            try rig.run(to: start &+ 450_000)
            let stream = try rig.link.stream()
            #expect(stream.generation == 2)
            #expect(stream.reviseTime == early)
            guard board.hasTrace else { return }
            #expect(try rig.levels(since: start).map(\.value).prefix(3) == [200, 70, 0])
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func anyGenerationButTheNextIsRefused(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            for generation in [0, 2, 255] as [UInt8] {
                let reject = try rig.revise(generation, at: start, level: 1)
                #expect(reject?.code == .range)
                #expect(reject?.limit == 1)
            }
            #expect(try rig.link.stream().generation == 0)
            try rig.link.stop()
        }
    }

    @Test(arguments: ConformanceBoard.available)
    func eventsOfAnOlderGenerationAreDropped(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            let start = try rig.begin(StreamSample.held)
            let reject = try rig.revise(1, at: start &+ 300_000, level: 60, [0xF1, 0x60, 0x03])
            #expect(reject == nil)
            // The frames contain a tap in an outdated generation and END in the current generation.
            let old = Events(stream: 0, generation: 0, bytes: [0x90, 255, 255])
            #expect(try rig.link.carryOut(.events(old)) == nil)
            let new = Events(stream: 0, generation: 1, bytes: [0xF1, 0x20, 0x00])
            #expect(try rig.link.carryOut(.events(new)) == nil)
            try rig.run(to: start &+ 400_000)
            let stream = try rig.link.stream()
            #expect(stream.state == .ended)
            #expect(stream.position == 0x80)
            guard board.hasTrace else { return }
            #expect(try rig.levels(since: start).map(\.value).prefix(3) == [200, 60, 0])
        }
    }
}

extension Rig {
    /// Sends REVISE for stream 0. Returns the REJECT message, or nil if the board accepts REVISE.
    func revise(
        _ generation: UInt8, at time: UInt32, level: UInt8, _ bytes: [UInt8] = []
    ) throws -> Reject? {
        try link.carryOut(
            .revise(
                Revise(
                    stream: 0, generation: generation, time: time, level: level, sharpness: 0,
                    bytes: bytes)))
    }
}
