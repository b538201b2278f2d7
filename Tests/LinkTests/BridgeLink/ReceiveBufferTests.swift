// Tests that a device's receive buffer never overflows, even if the host repeats frames many times
// (SPEC 4.4).

import TestSupport
import Testing

@testable import BridgeLink

@Suite struct ReceiveBufferTests {
    /// A device's link window, the capacity of the receive buffer in bytes, and the maximum time,
    /// in milliseconds, that bytes wait in this buffer.
    struct Buffer: CustomStringConvertible {
        var window: UInt16
        var capacity: Int
        var patience: Int
        var description: String { "\(capacity) bytes" }
    }

    static let buffers = [
        Buffer(window: 192, capacity: 255, patience: 20),
        Buffer(window: 88, capacity: 127, patience: 10),
    ]

    /// Sends commands of all sizes, queries, MUTE and STOP as fast as the line accepts them.
    private func run(_ line: inout ModelDeviceLink, seed: UInt64, milliseconds: Int) {
        var random = SeededGenerator(seed: seed)
        let open = Command.open(Open(stream: 0, actuators: .init(index: 0)))
        line.session.send(open)
        for _ in 0..<milliseconds {
            while line.session.isWindowClear {
                let count = Int.random(in: 0...48, using: &random)
                let bytes = [UInt8](repeating: 0xA5, count: count)
                line.session.send(.events(Events(stream: 0, bytes: bytes)))
            }
            if random.chance(oneIn: 10) { line.session.ask(.status) }
            if random.chance(oneIn: 10) { line.session.ask(.stream(0)) }
            if random.chance(oneIn: 100) { line.session.mute(.all, random.chance(oneIn: 2)) }
            if random.chance(oneIn: 500) {
                line.session.stop()
                line.session.send(open)
            }
            line.run(milliseconds: 1)
        }
    }

    @Test(
        arguments: buffers,
        [
            ModelDeviceLink.Trouble.none, .bytes(oneIn: 2_003), .bytes(oneIn: 211),
            .bytes(oneIn: 67),
            .portions(oneIn: 20),
        ])
    func itNeverOverflows(_ buffer: Buffer, _ trouble: ModelDeviceLink.Trouble) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var line = ModelDeviceLink(seed: seed, clock: ClockSchedule())
            line.device.linkWindow = buffer.window
            line.connect()
            line.ring = ModelRing(capacity: buffer.capacity, patience: buffer.patience, seed: seed)
            line.trouble = trouble
            run(&line, seed: seed, milliseconds: 1_000)
            #expect(line.ring?.lostBytes == 0, "seed \(seed)")
            #expect(line.session.phase == .open, "seed \(seed)")
        }
    }

    /// Returns a line whose session has filled its window of 66 bytes with six frames of 11 bytes.
    private func fullWindow() -> ModelDeviceLink {
        var line = ModelDeviceLink()
        line.device.linkWindow = 66
        line.connect()
        for gain in 1...8 as ClosedRange<UInt8> {
            line.session.send(.gain(Gain(actuators: .init(rawValue: 1), gain: gain)))
        }
        #expect(line.session.nextOutput(limit: 1_000, at: line.now).count == 66)
        return line
    }

    private func wire(_ message: Message, sequence: UInt8 = 0) -> [UInt8] {
        FrameEncoder(session: 0xCAFE_F00D).encode(Frame(message, sequence: sequence))
    }

    /// Returns the types and sequence numbers of the frames that the session sends after the given
    /// time.
    private func sent(_ line: inout ModelDeviceLink, after time: Microseconds) -> [String] {
        line.session.poll(at: line.now + time)
        let wire = line.session.nextOutput(limit: 1_000, at: line.now + time)
        var decoder = FrameDecoder(session: 0xCAFE_F00D)
        return decoder.receive(wire).map { "\($0.type) \($0.sequence)" }
    }

    private let complaint = Acknowledge(nextSequence: 0, asksToResend: true, linkLimit: 66)

    @Test func whatIsSentAgainWaitsUntilTheDeviceHasSurelyReadTheRest() {
        var line = fullWindow()
        line.session.receive(wire(.acknowledge(complaint)), at: line.now + 1_000)
        #expect(sent(&line, after: 1_000) == ["CLOCK 1"])
        let reply = ClockReply(received: 0xFC6C_7900, transmitted: 0xFC6C_7900)
        line.session.receive(wire(.clockReply(reply), sequence: 1), at: line.now + 3_000)
        #expect(sent(&line, after: 3_000) == ["GAIN 0", "GAIN 1"])
    }

    @Test func anAcknowledgementFreesNoMoreThanTheFirstCopyOfAFrame() {
        var line = fullWindow()
        let two = Acknowledge(nextSequence: 2, asksToResend: true, linkLimit: 88)
        line.session.receive(wire(.acknowledge(two)), at: line.now + 1_000)
        #expect(sent(&line, after: 1_000) == ["GAIN 2", "GAIN 3"])
        // The executed frame may have been the first copy of frame 2, so four frames are still in
        // the buffer.
        let three = Acknowledge(nextSequence: 3, linkLimit: 99)
        line.session.receive(wire(.acknowledge(three)), at: line.now + 2_000)
        #expect(sent(&line, after: 2_000) == ["GAIN 4"])
    }

    @Test func bytesCountAsReadAfter30Milliseconds() {
        var line = fullWindow()
        line.session.receive(wire(.acknowledge(complaint)), at: line.now + 1_000)
        #expect(sent(&line, after: 1_000) == ["CLOCK 1"])
        #expect(line.session.nextDeadline.map { $0 - line.now } == 21_000, "CLOCK again")
        #expect(sent(&line, after: 29_999) == ["CLOCK 2"])
        #expect(line.session.nextDeadline.map { $0 - line.now } == 30_000)
        #expect(sent(&line, after: 30_000) == ["GAIN 0", "GAIN 1"])
    }

    @Test func afterATimeOutOneFrameIsSentAloneUntilAnAnswerComes() {
        var line = fullWindow()
        #expect(sent(&line, after: 199_999) == [])
        #expect(sent(&line, after: 200_000) == ["GAIN 0"])
        #expect(sent(&line, after: 250_000) == [])
        let one = Acknowledge(nextSequence: 1, linkLimit: 77)
        line.session.receive(wire(.acknowledge(one)), at: line.now + 251_000)
        #expect(sent(&line, after: 251_000) == ["GAIN 1", "GAIN 2"])
    }

    /// Checks that, after a loss, only two frames are in transit: a third of the window of 66
    /// bytes. A lost frame also invalidates the frames after it, so further frames would only fill
    /// the buffer with copies.
    @Test func afterALossAThirdOfTheBufferIsOnItsWayUntil32FramesAreTaken() {
        var line = fullWindow()
        line.session.receive(wire(.acknowledge(complaint)), at: line.now + 1_000)
        _ = sent(&line, after: 31_000)
        for gain in 9...60 as ClosedRange<UInt8> {
            line.session.send(.gain(Gain(actuators: .init(rawValue: 1), gain: gain)))
        }
        var counts: [Int] = []
        for taken in 1...40 as ClosedRange<UInt8> {
            let limit = 66 + UInt16(taken) * 11
            let ack = Acknowledge(nextSequence: taken, linkLimit: limit)
            let time = 31_000 + Microseconds(taken) * 31_000
            line.session.receive(wire(.acknowledge(ack)), at: line.now + time)
            counts.append(sent(&line, after: time).count { $0.hasPrefix("GAIN") })
        }
        #expect(counts.prefix(31).allSatisfy { $0 == 1 }, "\(counts)")
        #expect(counts[31...].reduce(0, +) > 9, "the whole window is used again: \(counts)")
    }
}
