// Tests of messages that are unknown, too short or too long (SPEC 4.1), and of the order of
// sequence numbers (SPEC 4.4).

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import DRV2605
import TestSupport
import Testing
import VirtualBoard

@Suite struct MessageTests {
    /// The message types, each with a payload of the required size that is valid after OPEN.
    static let sized: [(type: UInt8, payload: [UInt8])] = [
        (0x10, [1, 0, 0, 0]), (0x11, [1, 1, 0, 0]), (0x22, [0]), (0x23, [0]), (0x24, [0]),
        (0x40, [0, 1, 0, 0, 0]), (0x41, [0]), (0x42, [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 250]),
        (0x43, [0, 0, 0, 0, 0, 0, 0, 0, 250]), (0x44, [0, 0]), (0x45, [0, 1, 0, 0, 0, 0, 0, 0]),
        (0x46, [1, 0, 255]), (0x47, [0, 0, 0]),
        (0x48, [0] + ActuatorConfiguration.testLRA.bytes.prefix(48)),
        (0x49, [0]), (0x4A, [0]), (0x4B, [0]),
    ]

    @Test(arguments: sized.map(\.type))
    func aShorterPayloadIsRejectedWithTheSizeItMustHave(type: UInt8) {
        let payload = Self.sized.first { $0.type == type }!.payload
        for length in 0..<payload.count {
            let bench = Bench.connected()
            let short = Array(payload[..<length])
            let reject = type < 0x40 ? bench.ask(type, short, tag: 9) : bench.command(type, short)
            #expect(
                reject
                    == Reject(
                        type: MessageType(rawValue: type), code: .length, offset: UInt8(length),
                        limit: UInt32(payload.count)))
            #expect(bench.frames(0x81).last?.sequence == (type < 0x40 ? 9 : 0))
        }
    }

    @Test(arguments: sized.map(\.type).filter { $0 != 0x44 && $0 != 0x45 })
    func aLongerPayloadIsReadAsFarAsItIsKnown(type: UInt8) {
        let bench = Bench.connected()
        if (0x42...0x43).contains(type) { bench.load([]) }
        let payload = Self.sized.first { $0.type == type }!.payload
        let long = payload + [UInt8](repeating: 0xEE, count: min(9, 58 - payload.count))
        #expect((type < 0x40 ? bench.ask(type, long) : bench.command(type, long)) == nil)
    }

    @Test func unknownMessagesAreRejectedInTheirPlace() {
        let bench = Bench.connected()
        for type in [0x4F] as [UInt8] {
            let sequence = bench.sequence
            let reject = bench.command(type, [1, 2, 3])
            #expect(reject == Reject(type: MessageType(rawValue: type), code: .unknownMessage))
            #expect(bench.frames(0x81).last?.sequence == sequence)
            #expect(bench.acknowledge?.nextSequence == sequence + 1)
        }
        for type in [0x12, 0x1F, 0x28, 0x2F] as [UInt8] {
            let reject = bench.ask(type, [1, 2, 3], tag: 0x77)
            #expect(reject == Reject(type: MessageType(rawValue: type), code: .unknownMessage))
            #expect(bench.frames(0x81).last?.sequence == 0x77)
        }
        #expect(bench.status().rejects == 5)
        #expect(bench.status().rejectType.rawValue == 0x2F)
    }

    @Test func whatADeviceSendsIsIgnoredByOne() {
        let bench = Bench.connected()
        bench.keepsAlive = false
        bench.forget()
        for type in [0x80, 0x81, 0x90, 0xA1, 0xF0, 0x02, 0x03, 0x0F] as [UInt8] {
            bench.send(bench.wire(type, [0, 0, 0, 0, 0, 0, 0]))
            bench.run(for: 5_000)
        }
        #expect(bench.heard.isEmpty)
        #expect(bench.core.receiver.session == bench.session)
    }

    @Test func framesOutOfOrderAreDroppedAndAskedForAgain() {
        let bench = Bench.connected()
        let first = bench.nextCommand(0x46, [1, 0, 10])
        let second = bench.nextCommand(0x46, [1, 0, 20])
        bench.send(second)
        bench.run(for: 5_000)
        #expect(bench.acknowledge?.asksToResend == true)
        #expect(bench.acknowledge?.nextSequence == 0)
        #expect(bench.status().gain == 255)
        bench.send(first + second)
        bench.run(for: 5_000)
        #expect(bench.acknowledge?.asksToResend == false)
        #expect(bench.acknowledge?.nextSequence == 2)
        #expect(bench.status().gain == 20)
        // The same frame is sent again. The board executes, acknowledges and credits it only once.
        let limit = bench.acknowledge?.linkLimit
        bench.send(first)
        bench.run(for: 5_000)
        #expect(bench.status().gain == 20)
        #expect(bench.acknowledge?.linkLimit == limit)
        #expect(limit == UInt16(first.count + second.count) + UInt16(BRIDGE_LINK_WINDOW))
    }

    @Test func theSequenceWrapsAround() {
        let bench = Bench.connected()
        for count in 1...600 {
            bench.command(0x46, [1, 0, UInt8(truncatingIfNeeded: count)])
        }
        #expect(bench.acknowledge?.nextSequence == UInt8(600 % 256))
        #expect(bench.acknowledge?.linkLimit == UInt16(600 * 11) + UInt16(BRIDGE_LINK_WINDOW))
        #expect(bench.status().gain == UInt8(600 % 256))
    }

    @Test func aDamagedFrameIsCountedAndAskedForAgain() {
        let bench = Bench.connected()
        var bytes = bench.nextCommand(0x46, [1, 0, 10])
        bytes[4] ^= 0x10
        bench.send(bytes)
        bench.run(for: 5_000)
        #expect(bench.acknowledge?.asksToResend == true)
        #expect(bench.status().damagedFrames == 1)
        #expect(bench.acknowledge?.nextSequence == 0)
    }

    @Test func aQueryForWhatDoesNotExistIsRejectedWithItsTag() {
        let bench = Bench.connected()
        #expect(bench.ask(0x22, [1], tag: 5) == Reject(type: .getStream, code: .noStream))
        #expect(bench.frames(0x81).last?.sequence == 5)
        #expect(bench.ask(0x23, [9], tag: 6) == Reject(type: .getActuator, code: .noActuator))
        #expect(bench.ask(0x24, [1], tag: 7) == Reject(type: .getConfiguration, code: .noActuator))
        #expect(bench.ask(0x22, [0], tag: 8) == nil)
    }

    @Test func addressesOnTheBusAreProbed() {
        let bench = Bench.connected()
        bench.runToRest()
        for (address, answer) in [(0x08, 0x08), (0x59, 0x59), (0x5A, 0xDA), (0x77, 0x77)] {
            #expect(bench.ask(0x26, [UInt8(address)], tag: UInt8(address)) == nil)
            let probed = bench.frames(0xA6).last
            #expect(probed?.sequence == UInt8(address) && probed?.payload == [UInt8(answer)])
        }
        for address in [0x00, 0x07, 0x78, 0xDA, 0xFF] as [UInt8] {
            let reject = Reject(type: .probe, code: .range, offset: 0, limit: 0x77)
            #expect(bench.ask(0x26, [address], tag: 9) == reject)
        }
    }

    @Test func aPlayingActuatorRejectsProbes() {
        let bench = Bench.connected()
        bench.play([0xB0, 200, 0xF1, 0x90, 0x03, 0x00])
        bench.run(for: 100_000)
        let reject = bench.ask(0x26, [0x5A], tag: 9)
        #expect(reject == Reject(type: .probe, code: .notAtRest) && bench.frames(0xA6).isEmpty)
    }

    @Test func aBoardThatDoesNotReadItsImageAnswersWithAnEmptyBlock() {
        let bench = Bench.connected()
        for block in [0, 1, 65_535] as [UInt16] {
            #expect(bench.ask(0x25, block.bytes, tag: 9) == nil)
            #expect(bench.frames(0xA5).last?.payload == block.bytes)
        }
    }

    @Test func theClockIsAnsweredWithItsOwnTimes() throws {
        let bench = Bench.connected()
        let sent = bench.now
        let bytes = bench.wire(0x20, [], sequence: 0x33)
        bench.send(bytes)
        bench.run(for: 5_000)
        let reply = try #require(bench.frames(0xA0).last { $0.sequence == 0x33 })
        let arrival = bench.board.deviceClock(at: sent + BoardTime(bytes.count) * 40)
        #expect(Array(reply.payload[..<4]) == arrival.bytes)
    }

    @Test func openChecksStreamsActuatorsAndMemory() {
        let bench = Bench.connected()
        #expect(bench.command(0x40, [1, 1, 0, 0, 0]) == Reject(type: .open, code: .noStream))
        let none = bench.command(0x40, [0, 0, 0, 0, 0])
        #expect(none == Reject(type: .open, code: .noActuator, offset: 1, limit: 1))
        #expect(bench.command(0x40, [0, 3, 0, 0, 0])?.code == .noActuator)
        for type in [0x42, 0x43, 0x44, 0x45] as [UInt8] {
            let payload = Self.sized.first { $0.type == type }!.payload
            #expect(bench.command(type, payload)?.code == .noStream)
        }
    }
}
