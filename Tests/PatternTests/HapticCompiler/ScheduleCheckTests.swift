import Testing

@testable import HapticCompiler

@Suite struct ScheduleCheckTests {
    private let board = ScheduleCheck.Board(eventMemory: 384)

    private func problems(_ events: [StreamEvent]) throws -> [ScheduleCheck] {
        let end = StreamEvent(.end, at: (events.last?.tick ?? 0) + 40)
        return try ScheduleCheck.problems(
            of: EventStreamEncoder.encode(events + [end]), tick: 250, on: board)
    }

    /// Returns levels that the encoder can shorten neither with a slot nor with a copy.
    private func levels(_ count: Int, ticksApart: Int) -> [StreamEvent] {
        (0..<count).map { StreamEvent(.level(UInt8($0 * 97 % 251 + 1)), at: $0 * ticksApart) }
    }

    @Test func ordinaryPatternsCanBePlayed() throws {
        #expect(try problems([]).isEmpty)
        #expect(try problems(levels(2_000, ticksApart: 40)).isEmpty)
        let taps = (0..<500).map { index in
            StreamEvent(.tap(intensity: 200, sharpness: UInt8(index % 250)), at: index * 100)
        }
        #expect(try problems(taps).isEmpty)
    }

    @Test func aBurstThatLiesInMemoryIsNoTroubleForTheLine() throws {
        #expect(try problems(levels(150, ticksApart: 1)).isEmpty)
    }

    @Test func whatOutrunsTheLineIsFoundWhereMemoryRunsOut() throws {
        // A rate of two bytes every 50 us equals 40,000 bytes per second.
        let events = levels(3_000, ticksApart: 1)
        let end = StreamEvent(.end, at: 3_040)
        let found = try ScheduleCheck.problems(
            of: EventStreamEncoder.encode(events + [end]), tick: 50, on: board)
        let line = try #require(found.first { $0.part == .line })
        #expect(
            (8_000...12_000).contains(line.time),
            "384 bytes, and the bytes that are received in the meantime")
        #expect(line.lateness > 0)
        #expect("\(line)".contains("event memory runs out"))
    }

    @Test func whatOutrunsTheBusIsFoundBeforeItPlays() throws {
        let code = EventStreamEncoder.encode(
            levels(64, ticksApart: 1) + [StreamEvent(.end, at: 104)])
        let found = try ScheduleCheck.problems(of: code, tick: 50, on: board)
        let bus = try #require(found.first { $0.part == .bus })
        #expect(
            bus.time == 1_050, "each level takes 100 us on the bus, and a level is due every 50 us")
        #expect(bus.lateness == 1_050)
        #expect("\(bus)".contains("I2C"))
    }
}
