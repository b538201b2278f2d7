import Checksum
import TestSupport
import Testing

@testable import BridgeLink

@Suite struct CRC32CTests {
    @Test func agreesWithTheVectors() throws {
        let vectors = try Vectors.fields("crc", in: "frames.txt")
        #expect(vectors.count == 8)
        for fields in vectors {
            let session = UInt32(fields[0], radix: 16)!
            let value = CRC32C.checksum(hex(fields[1]), session: session)
            #expect(value == UInt32(fields[2], radix: 16)!, "\(fields)")
        }
    }

    @Test func leavesTheResidueInEverySession() {
        for session: UInt32 in [0, 1, 0x1234_5678, .max] {
            var crc = CRC32C(session: session)
            crc.update([0x20, 0x07])
            let check = crc.value
            crc.update((0..<4).map { UInt8(truncatingIfNeeded: check >> ($0 * 8)) })
            #expect(crc.isResidue)
        }
    }
}

@Suite struct COBSTests {
    @Test func agreesWithTheVectors() throws {
        for fields in try Vectors.fields("cobs", in: "frames.txt") {
            #expect(COBS.encode(hex(fields[0])) == hex(fields[1]), "\(fields[0])")
            #expect(COBS.decode(hex(fields[1])) == hex(fields[0]), "\(fields[0])")
        }
    }

    @Test func refusesWhatItCannotHaveMade() throws {
        for fields in try Vectors.fields("uncobs", in: "frames.txt") {
            #expect(COBS.decode(hex(fields[0])) == nil, "\(fields[0])")
        }
    }

    @Test func comesBackFromEveryLength() {
        var random = SeededGenerator(seed: 1)
        for length in 0...600 {
            let body = (0..<length).map { _ in
                random.chance(oneIn: 100) ? 0 : UInt8.random(in: 0...255, using: &random)
            }
            let stuffed = COBS.encode(body)
            #expect(!stuffed.contains(0))
            #expect(COBS.decode(stuffed) == body)
        }
    }
}

@Suite struct WireFrameTests {
    @Test func agreesWithTheVectors() throws {
        let vectors = try Vectors.fields("frame", in: "frames.txt")
        #expect(vectors.count == 9)
        for fields in vectors {
            let session = UInt32(fields[1], radix: 16)!
            let frame = Frame(
                type: MessageType(rawValue: hex(fields[2])[0]),
                sequence: hex(fields[3])[0], payload: hex(fields[4]))
            #expect(frame.body(session: session) == hex(fields[5]), "\(fields[0])")
            #expect(FrameEncoder(session: session).encode(frame) == hex(fields[6]), "\(fields[0])")
            #expect(frame.wireSize == hex(fields[6]).count, "\(fields[0])")
            var decoder = FrameDecoder(session: session)
            #expect(decoder.receive(hex(fields[6])) == [frame], "\(fields[0])")
        }
    }

    @Test func isSpelledOutOnTheWire() {
        let clock = Frame(type: .clock, sequence: 7, payload: [])
        let wire = FrameEncoder(session: 0x1234_5678).encode(clock)
        #expect(wire == [0x07, 0x20, 0x07, 0x0B, 0xC8, 0xE9, 0x0F, 0x00])
    }
}

@Suite struct FrameDecoderTests {
    private let session: UInt32 = 0x1234_5678
    private let frame = Frame(type: .gain, sequence: 1, payload: [1, 0, 0x80])
    private var wire: [UInt8] { FrameEncoder(session: session).encode(frame) }

    @Test func findsTheFramesOfTheVectors() throws {
        let vectors = try Vectors.fields("stream", in: "frames.txt")
        #expect(vectors.count == 17)
        for fields in vectors {
            var decoder = FrameDecoder(session: UInt32(fields[1], radix: 16)!)
            let found = decoder.receive(hex(fields[4]))
            let names = found.map { frame in
                [frame.type.rawValue, frame.sequence].map { format($0) }.joined(separator: ":")
            }
            #expect(
                (names.isEmpty ? "-" : names.joined(separator: ",")) == fields[2], "\(fields[0])")
            #expect(decoder.damagedFrames == Int(fields[3]), "\(fields[0])")
        }
    }

    @Test func refusesEveryFlippedBit() {
        for bit in 0..<((wire.count - 1) * 8) {
            var damaged = wire
            damaged[bit / 8] ^= 1 << (bit % 8)
            var decoder = FrameDecoder(session: session)
            let found = decoder.receive(damaged) + decoder.receive(wire)
            #expect(found == [frame], "bit \(bit)")
            #expect(decoder.damagedFrames >= 1, "bit \(bit)")
        }
    }

    @Test func refusesEveryTruncation() {
        for length in 1..<(wire.count - 1) {
            var decoder = FrameDecoder(session: session)
            let found = decoder.receive(wire.prefix(length) + [0] + wire)
            #expect(found == [frame], "\(length) bytes")
            #expect(decoder.damagedFrames == 1, "\(length) bytes")
        }
    }

    @Test func takesBytesInAnyPortions() {
        var decoder = FrameDecoder(session: session)
        var found: [Frame] = []
        for byte in wire + wire + wire { found += decoder.receive([byte]) }
        #expect(found == [frame, frame, frame])
        #expect(decoder.damagedFrames == 0)
    }

    @Test func countsEndlessNoiseAsOneDamagedFrame() {
        var decoder = FrameDecoder(session: session)
        #expect(decoder.receive([UInt8](repeating: 0x55, count: 100_000)).isEmpty)
        #expect(decoder.receive([0] + wire) == [frame])
        #expect(decoder.damagedFrames == 1)
    }

    @Test func findsNothingInRandomBytes() {
        var random = SeededGenerator(seed: 2)
        var decoder = FrameDecoder(session: session)
        for _ in 0..<200_000 {
            let byte = random.chance(oneIn: 20) ? 0 : UInt8.random(in: 0...255, using: &random)
            #expect(decoder.receive(byte) == nil)
        }
        #expect(decoder.damagedFrames > 5_000)
        #expect(decoder.receive([0] + wire) == [frame])
    }

    private func format(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
