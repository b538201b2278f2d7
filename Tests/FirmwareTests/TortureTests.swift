// Tests with thousands of random steps that a seed determines: valid and invalid frames, noise,
// chip faults, and stops.

import CBridgeFirmware
import CBridgeProtocol
import CDRV2605Model
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct TortureTests {
    @Test(arguments: 0..<16)
    func nothingThatAHostOrALineOrAChipDoesBreaksTheDevice(seed: Int) {
        var torture = Torture(seed: UInt64(seed))
        for _ in 0..<4_000 {
            torture.step()
            torture.check()
        }
        torture.end()
    }
}

private struct Torture {
    let bench: Bench
    private var random: SeededGenerator
    private var generation: UInt8 = 0
    private var stops: UInt8 = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        bench = Bench.connected(seed % 2 == 1 ? .signedLRA : .testLRA)
        // After a bus fault, EN rises while the chip retains an arbitrary level.
        bench.provoked = [.staleStart]
    }

    mutating func step() {
        switch Int.random(in: 0..<24, using: &random) {
        case 0..<6: events()
        case 6: bench.send(bench.nextCommand(0x40, [0, 1, 0] + memory().bytes))
        case 7, 8: start()
        case 9, 10: revise()
        case 11: bench.send(bench.nextCommand(0x43, [0] + tick().bytes + scale().bytes))
        case 12: bench.send(bench.nextCommand(0x46, [1, 0] + random.bytes(1)))
        case 13:
            bench.send(
                bench.wire(0x11, random.bytes(1) + [1, 0, UInt8.random(in: 0...1, using: &random)]))
        case 14: stopAndCheck()
        case 15: bench.send(random.bytes(Int.random(in: 1...90, using: &random)))
        case 16: damaged()
        case 17: unknown()
        case 18: chipFault()
        case 19: bench.send(bench.nextCommand(0x41, [0]))
        case 20: calibrate()
        case 21: bench.send(bench.wire(UInt8.random(in: 0x20...0x24, using: &random), [0]))
        case 22: if random.chance(oneIn: 10) { newSession() }
        default: bench.run(for: BoardTime.random(in: 0...200_000, using: &random))
        }
        bench.run(for: BoardTime.random(in: 100...4_000, using: &random))
    }

    /// Continues with the sequence number that the device expects next, as a host does after a
    /// query: always if the device requests a resend, and occasionally if no frame was damaged.
    private mutating func resume() {
        if let acknowledge = bench.acknowledge, acknowledge.asksToResend || random.chance(oneIn: 4)
        {
            bench.sequence = bench.core.answers.next_sequence
        }
    }

    private mutating func events() {
        resume()
        var code: [UInt8] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) { code += event() }
        bench.send(bench.nextCommand(0x44, [0, generation] + code.prefix(56)))
    }

    private mutating func event() -> [UInt8] {
        let values = random.bytes(3)
        let delta: [UInt8] = [0x01, values[0] & 0x7F]
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: return [0x90 | delta[0], delta[1], values[1], values[2]]
        case 2: return [0xB0 | delta[0], delta[1], values[1]]
        case 3: return [0xD1, delta[1], values[1], values[2] | 0x80, values[0] & 7]
        case 4: return [0xF0, 0x22, values[1], values[2] & 0x7F]
        case 5: return [0xF4 + values[0] % 12, values[1]]
        case 6: return [values[0] % 8 << 4 | values[1] & 0x0F]
        case 7:
            return random.chance(oneIn: 3) ? [0xF1, delta[1], 0x00] : [0xA1, delta[1], values[1]]
        case 8: return random.chance(oneIn: 6) ? values : [0xF1, 0xFF, 0x03, 0x03]
        default: return [0xF1, delta[1], 0x03]
        }
    }

    private mutating func memory() -> UInt16 {
        generation = 0
        return [0, 32, 100, 384, 500].randomElement(using: &random)!
    }

    private mutating func tick() -> UInt32 { UInt32.random(in: 0...20_000, using: &random) }

    private mutating func scale() -> UInt32 {
        [250 << 24, 1 << 20, 255 << 24, 100 << 24 | 12_345, 0].randomElement(using: &random)!
    }

    private mutating func start() {
        resume()
        let ahead = BoardTime.random(in: -300_000...100_000, using: &random)
        let clock = bench.board.deviceClock(at: bench.now + ahead)
        bench.send(bench.nextCommand(0x42, [0, 0, 0] + clock.bytes + scale().bytes))
    }

    private mutating func revise() {
        resume()
        let ahead = BoardTime.random(in: -20_000...60_000, using: &random)
        let next = bench.core.streams.0.generation &+ 1
        let code = event() + event()
        bench.send(
            bench.nextCommand(
                0x45,
                [0, next] + bench.board.deviceClock(at: bench.now + ahead).bytes
                    + random.bytes(2) + code))
        generation = next
    }

    private mutating func damaged() {
        var bytes = bench.nextCommand(0x46, [1, 0, 9])
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
            1 << UInt8.random(in: 0...7, using: &random)
        bench.send(bytes)
    }

    private mutating func unknown() {
        let type = random.bytes(1)[0]
        guard type & 0xF0 != 0 else { return }  // a random HELLO would take over the session
        bench.send(
            bench.wire(type, random.bytes(Int.random(in: 0...20, using: &random)), sequence: 3))
    }

    private mutating func chipFault() {
        let now = UInt64(bench.now)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
            drv2605_model_inject_nack(bench.chip, UInt32.random(in: 1...4, using: &random))
        case 4: drv2605_model_inject_brown_out(bench.chip, now, now + 500)
        case 5: drv2605_model_inject_over_temperature(bench.chip, now, random.chance(oneIn: 2))
        case 6: drv2605_model_inject_short(bench.chip, now, random.chance(oneIn: 4))
        default: drv2605_model_inject_nack(bench.chip, 30)
        }
    }

    private mutating func calibrate() {
        resume()
        let type = UInt8.random(in: 0x49...0x4B, using: &random)
        bench.send(bench.nextCommand(type, [0]))
    }

    private mutating func newSession() {
        drv2605_model_inject_over_temperature(bench.chip, UInt64(bench.now), false)
        drv2605_model_inject_short(bench.chip, UInt64(bench.now), false)
        bench.send([0])  // ends any noise that precedes HELLO
        bench.connect(session: UInt32.random(in: 1...UInt32.max, using: &random))
        (generation, stops) = (0, 0)
    }

    /// Sends STOP. Checks that no actuator is driven after a brake window and several transfers.
    private mutating func stopAndCheck() {
        stops &+= 1
        bench.sequence = bench.core.answers.next_sequence
        let total = bench.core.answers.link_limit &- UInt16(BRIDGE_LINK_WINDOW)
        bench.send([0] + bench.wire(0x10, [stops, bench.sequence] + total.bytes))
        bench.run(for: 5_000)
        #expect(bench.drive == 0)
        #expect(bench.stream.state == 0)
        bench.run(for: 60_000)
        let state = UInt32(bench.actuator.state)
        let resting = [
            BRIDGE_ACTUATOR_AT_REST, BRIDGE_ACTUATOR_FAULT, BRIDGE_ACTUATOR_STARTING,
            BRIDGE_ACTUATOR_CALIBRATING,
        ].map(\.rawValue)
        #expect(resting.contains(state))
    }

    func check() {
        let core = bench.core
        let writes = core.streams.0.writes
        let waiting = writes.head &- writes.tail
        #expect(Int(waiting) <= MemoryLayout.size(ofValue: writes.entries))
        #expect(core.streams.0.memory.used <= core.streams.0.memory.capacity)
        #expect(core.streams.0.memory.readable <= core.streams.0.memory.used)
        #expect(!bench.chip.pointee.otp_programmed)
        let enabled = bridge_enabled(bench.board.core) != 0
        if UInt32(core.actuators.0.state) == BRIDGE_ACTUATOR_FAULT.rawValue { #expect(!enabled) }
        bench.forget()
    }

    /// Checks that, after any previous steps, the board still answers in the session and still
    /// plays a pattern.
    mutating func end() {
        newSession()
        drv2605_model_inject_nack(bench.chip, 0)
        bench.run(for: 300_000)
        #expect(bench.runToRest(limit: 3_000_000))
        let start = bench.play([0xB0, 200, 0xF1, 40, 0x00])
        bench.run(to: start + 5_000)
        #expect(bench.playedLevels(from: start).map(\.value).first ?? 0 != 0)
        #expect(bench.runToRest())
    }
}
