// Tests of streams that are longer than the event memory: credits, underruns, and a noisy line
// (SPEC 4.4, 6).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import HapticCompiler
import TestSupport
import Testing
import VirtualBoard

@Suite struct StreamingTests {
    /// Returns `count` level jumps followed by END. The interval between two jumps is `ticks`
    /// ticks, and each level differs from the previous level.
    private static func jumps(_ count: Int, ticks: Int) -> [StreamEvent] {
        let levels = (0..<count).map {
            StreamEvent(.level(UInt8(1 + ($0 * 89) % 255)), at: ($0 + 1) * ticks)
        }
        return levels + [StreamEvent(.end, at: (count + 1) * ticks)]
    }

    private static func expect(
        _ board: InProcessBoard, _ playback: Playback?, plays events: [StreamEvent],
        _ place: SourceLocation = #_sourceLocation
    ) throws {
        let progress = try #require(playback, sourceLocation: place).progress
        #expect(try playback?.outcome?.get() == .played, sourceLocation: place)
        #expect(progress.underruns == 0 && progress.skippedTaps == 0, sourceLocation: place)
        let written = Bench(board).levels.map(\.value).filter { $0 != 0 }
        let expected = events.dropLast().map { event -> UInt8 in
            guard case .level(let level) = event.content else { return 0 }
            return level
        }
        #expect(written == expected, sourceLocation: place)
    }

    @Test func aStreamOfManyTimesTheMemoryIsPlayedEventByEvent() throws {
        let events = Self.jumps(3_000, ticks: 12)
        let bytes = EventStreamEncoder.encode(events)
        #expect(bytes.count > 10 * Int(BRIDGE_EVENT_MEMORY))
        let board = InProcessBoard.tested()
        let link = IdealLink(board)
        #expect(link.connect())
        try Self.expect(board, link.play(bytes, limit: 20_000_000), plays: events)
        #expect(link.current?.progress.latest == 0)
    }

    @Test(arguments: 0..<6)
    func everyEventIsPlayedOnceOverADamagedLine(seed: Int) throws {
        let events = Self.jumps(400, ticks: 60)
        let board = InProcessBoard.tested()
        let link = IdealLink(board)
        #expect(link.connect())
        var random = SeededGenerator(seed: UInt64(seed))
        func damage(_ bytes: [UInt8]) -> [UInt8] {
            bytes.flatMap { byte -> [UInt8] in
                guard random.chance(oneIn: 211) else { return [byte] }
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return []
                case 1: return [byte, byte]
                default: return [byte ^ 1 << UInt8.random(in: 0...7, using: &random)]
                }
            }
        }
        link.damageToBoard = damage
        link.damageToHost = damage
        let start = Playback.StartTime.after(200_000)
        let playback = link.play(EventStreamEncoder.encode(events), start: start, limit: 30_000_000)
        try Self.expect(board, playback, plays: events)
        #expect(Bench(board).core.counters.damaged_frames > 5)
    }

    @Test func lostAcknowledgementsCostNoEvent() throws {
        let events = Self.jumps(400, ticks: 60)
        let board = InProcessBoard.tested()
        let link = IdealLink(board)
        #expect(link.connect())
        var (count, frame): (Int, [UInt8]) = (0, [])
        link.damageToHost = { bytes in
            bytes.flatMap { byte -> [UInt8] in
                frame.append(byte)
                guard byte == 0 else { return [] }
                defer { frame = [] }
                count += frame.dropFirst().first == 0x80 ? 1 : 0
                return frame.dropFirst().first == 0x80 && count % 3 != 0 ? [] : frame
            }
        }
        let start = Playback.StartTime.after(200_000)
        let playback = link.play(EventStreamEncoder.encode(events), start: start, limit: 30_000_000)
        try Self.expect(board, playback, plays: events)
    }

    @Test func creditIsARunningTotalAndMoreIsRefused() {
        let bench = Bench.connected()
        bench.load([], memory: 40)
        #expect(bench.acknowledge?.credits == [.init(stream: 0, generation: 0, eventLimit: 40)])
        bench.append([UInt8](repeating: 0x0F, count: 39))
        #expect(bench.acknowledge?.credits.first?.eventLimit == 40)
        let reject = bench.command(0x44, [0, 0, 0x0F, 0x0F])
        #expect(reject == Reject(type: .events, code: .credit, offset: 2, limit: 40))
        bench.append([0x0F])
        #expect(bench.streamStatus().eventLimit == 40)
        #expect(bench.acknowledge?.rejects == 1)
    }

    @Test func aSeparateAckReportsAQuarterOfTheMemoryFreed() {
        // The stream contains 21 waits of 10 ms. Each wait has three bytes, and the memory has 64
        // bytes.
        let bench = Bench.connected()
        bench.load([0xF1, 40, 0x03], memory: 64)
        for _ in 0..<20 { bench.append([0xF1, 40, 0x03]) }
        bench.forget()
        let start = bench.now + 30_000
        bench.start(at: start)
        let first = bench.heard.count
        bench.keepsAlive = false
        var told: [UInt16] = []
        bench.run(to: start + 200_000)
        told = bench.heard[first...].compactMap { $0.frame.acknowledge?.credits.first?.eventLimit }
        #expect(told == told.sorted() && told.count >= 2)
        for (limit, next) in zip(told, told.dropFirst()) { #expect(next - limit >= 16) }
    }

    @Test func theTotalWrapsAtSixteenBits() throws {
        // The stream contains 70,000 bytes of levels at intervals of one tick. Each level is stored
        // in a slot.
        let board = InProcessBoard.tested { $0.baud = 2_000_000 }
        let link = IdealLink(board)
        #expect(link.connect())
        let levels = [[UInt8]](repeating: [0xB4, 0x00], count: 35_000)
        let bytes: [UInt8] = [0xB1, 1, 0] + levels.joined() + [0xF3, 1]
        let playback = try #require(link.play(bytes, limit: 20_000_000))
        #expect(try playback.outcome?.get() == .played)
        #expect(playback.progress.underruns == 0)
        #expect(playback.progress.position == 35_002)
    }

    @Test func threeStreamsOverATinyWindowDoNotLoseAnEvent() throws {
        // One session opens a stream repeatedly, each time with a different memory size.
        let bench = Bench.connected()
        for memory in [32, 33, 100, 384] as [UInt16] {
            bench.load([0xB0, 100, 0xF1, 40, 0x00], memory: memory)
            #expect(bench.streamStatus().capacity == memory)
            bench.forget()
            bench.start(at: bench.now + 20_000)
            bench.run(for: 100_000)
            #expect(bench.levels.map(\.value) == [100, 0, 0])
            #expect(bench.streamStatus().state == .ended)
        }
        #expect(bench.command(0x40, [0, 1, 0, 31, 0])?.code == .memory)
        #expect(bench.command(0x40, [0, 1, 0, 0x81, 1])?.limit == 384)
    }
}
