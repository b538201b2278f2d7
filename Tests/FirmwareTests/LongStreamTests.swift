// Tests in which the player alone runs for hours. Ended events must not play again after the 32-bit
// clock has advanced by half of its range (SPEC 5).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing

/// A player with event memory, an actuator, and a clock that the test advances.
private final class Player {
    let stream = UnsafeMutablePointer<stream>.allocate(capacity: 1)
    let actuator = UnsafeMutablePointer<actuator>.allocate(capacity: 1)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
    /// The time since the start of the stream, in microseconds. The time is negative before the
    /// start, and does not wrap around.
    var now: Int64 = -20_000
    private(set) var levels: [(time: Int64, level: UInt8)] = []
    private let origin: UInt32 = 0xFFFF_0000

    init(_ code: [UInt8]) {
        stream.initialize(to: .init())
        actuator.initialize(to: .init())
        actuator_init(actuator)
        withUnsafeMutableBytes(of: &actuator.pointee.configuration) {
            $0.copyBytes(from: ActuatorConfiguration.testLRA.bytes)
        }
        stream_open(stream, 1, memory, 256)
        append(code)
        stream_start(stream, origin, 250 << 24)
    }

    deinit {
        stream.deallocate()
        actuator.deallocate()
        memory.deallocate()
    }

    func append(_ code: [UInt8]) {
        #expect(event_memory_append(&stream.pointee.memory, code, UInt8(code.count)))
    }

    func run(to end: Int64, stride: Int64 = 5_000) {
        while now < end {
            now = min(end, now + stride)
            let clock = origin &+ UInt32(truncatingIfNeeded: now)
            while stream_render(stream, actuator, clock) {}
            drainDue(clock)
        }
    }

    private func drainDue(_ clock: UInt32) {
        withUnsafeMutablePointer(to: &stream.pointee.writes) { writes in
            while write_queue_count(writes) > 0 {
                let write = write_queue_at(writes, writes.pointee.tail).pointee
                let ahead = Int64(Int32(bitPattern: write.due_us &- clock))
                guard ahead <= 0 else { return }
                levels.append((now + ahead, write.level))
                writes.pointee.tail &+= UInt8(MemoryLayout<bridge_write>.size)
            }
        }
    }

    /// Appends `count` successive wait events of more than eight minutes each.
    func wait(_ count: UInt8) {
        for _ in 0..<count { append([0xF1, 0xFF, 0xFF, 0x7F, 0x03]) }
    }
}

@Suite struct LongStreamTests {
    private static let wait: Int64 = 2_097_151 * 250

    @Test func aLevelHoldsAndTapsSoundHoursAfterTheStart() {
        for waits in UInt8(2)...20 {
            let player = Player([0xB0, 40])
            player.wait(waits)
            player.append([0x91, 40, 250, 255, 0xF1, 40, 0x00])
            let tap = Int64(waits) * Self.wait + 10_000
            player.run(to: 50_000)
            player.run(to: tap - 100_000, stride: 1_000_000)
            player.run(to: tap + 100_000)
            let expected: [(Int64, UInt8)] = [
                (0, 40), (tap, 250), (tap + 5_882, 40), (tap + 10_000, 0),
            ]
            #expect(player.levels.count == 4, "\(waits)")
            #expect(zip(player.levels, expected).allSatisfy { $0 == $1 }, "\(waits)")
            #expect(player.stream.pointee.state == UInt8(BRIDGE_STREAM_ENDED.rawValue))
        }
    }

    @Test func tapsSoundHoursAfterAnUnderrun() {
        for waits in UInt8(2)...12 {
            let player = Player([0xB0, 40, 0xF1, 40, 0x03])
            player.run(to: 100_000)
            #expect(player.stream.pointee.state == UInt8(BRIDGE_STREAM_DRY.rawValue))
            player.wait(waits)
            player.append([0x91, 40, 250, 255, 0xF1, 40, 0x00])
            let tap = Int64(waits) * Self.wait + 20_000
            player.run(to: tap - 100_000, stride: 1_000_000)
            player.run(to: tap + 100_000)
            #expect(player.levels.suffix(3).map(\.level) == [250, 40, 0], "\(waits)")
            #expect(
                player.stream.pointee.notices & UInt8(STREAM_TAP_SKIPPED.rawValue) == 0, "\(waits)")
        }
    }

    @Test func aRevisionHoursAfterTheStartComesAtItsTime() {
        let player = Player([0xB0, 40])
        player.wait(17)
        let time = 16 * Self.wait + Self.wait / 2
        player.run(to: 50_000)
        player.run(to: time - 20_000, stride: 1_000_000)
        let due = 0xFFFF_0000 &+ UInt32(truncatingIfNeeded: time)
        stream_revise(player.stream, due, 77, 0)
        player.run(to: time + 100_000)
        #expect(player.stream.pointee.revised_us == due)
        #expect(player.levels.map(\.level) == [40, 77, 0])
    }

    @Test func aStreamThatIsDryForHoursStaysSilentAndContinues() {
        let player = Player([0xB0, 40, 0xF1, 40, 0x03])
        player.run(to: 3 * 3_600_000_000, stride: 1_000_000)
        #expect(player.levels.map(\.level) == [40, 0])
        #expect(player.stream.pointee.state == UInt8(BRIDGE_STREAM_DRY.rawValue))
    }
}
