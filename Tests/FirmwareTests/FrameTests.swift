// Tests of frames in the device (SPEC 2). The tests compare the CRC and the byte stuffing with the
// vectors and with the host's implementation.

import BridgeLink
import CBridgeFirmware
import CBridgeProtocol
import TestSupport
import Testing

@Suite struct FrameTests {
    static let session: UInt32 = 0x1234_5678

    @Test func theCheckValueOfCRC32C() {
        #expect(DeviceFrames.crc(Array("123456789".utf8), session: 0) == 0xE306_9283)
    }

    @Test(arguments: [0, 1, 0x1234_5678, 0xFFFF_FFFF] as [UInt32])
    func aBodyWithItsCRCLeavesTheResidue(session: UInt32) {
        var random = SeededGenerator(seed: UInt64(session))
        for length in 2...60 {
            let body = [0x44] + random.bytes(length - 1)
            var register = frame_crc_start(0x44, session)
            let crc = DeviceFrames.crc(body, session: session)
            for byte in body + crc.bytes { register = frame_crc_update(register, byte) }
            #expect(register == 0xB798_B438)
        }
    }

    @Test func classConnectIgnoresTheSession() {
        for type in UInt8(0)...0x0F { #expect(frame_crc_start(type, 0xDEAD_BEEF) == 0xFFFF_FFFF) }
        #expect(frame_crc_start(0x10, 0xDEAD_BEEF) == 0xFFFF_FFFF ^ 0xDEAD_BEEF)
    }

    @Test func stuffingAtItsCorners() {
        let zeros = [UInt8](repeating: 0, count: 59)
        for rest in [[], [0x00], [0x00, 0x00], [0x11, 0x00], [0x22, 0x00, 0x33], zeros] {
            let body = [0x10, 0x01] + rest.prefix(58)
            let sum = DeviceFrames.crc(body, session: 1).bytes
            #expect(DeviceFrames.frame(body, session: 1) == DeviceFrames.stuff(body + sum))
        }
        let longest = [0x10] + [UInt8](1...59)
        let frame = DeviceFrames.frame(longest, session: 0xDEAD_BEEF)
        #expect(frame.count == 66 && frame.prefix(61) == [65] + longest)
    }

    @Test func framesOfRandomBodiesAreTheHostsByteForByte() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<2_000 {
            let payload = random.payload()
            let (type, sequence) = (random.bytes(1)[0], random.bytes(1)[0])
            let host = Frame(
                type: MessageType(rawValue: type), sequence: sequence, payload: payload)
            let wire = FrameEncoder(session: Self.session).encode(host)
            let body = [type, sequence] + payload
            #expect(DeviceFrames.frame(body, session: Self.session) == wire)
            let heard = DeviceFrames.receive(wire, session: Self.session)
            #expect(heard.bodies == [body])
            #expect(heard.damaged == 0)
        }
    }

    @Test func everySingleFlippedBitIsDamage() {
        let body: [UInt8] = [0x44, 7, 0, 0, 0x90, 0xFF, 0x80, 0x00, 0xF0, 0x00]
        let wire = DeviceFrames.frame(body, session: Self.session)
        for bit in 0..<(wire.count - 1) * 8 {
            var flipped = wire
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let heard = DeviceFrames.receive(flipped + wire, session: Self.session)
            #expect(heard.bodies == [body], "bit \(bit)")
            #expect(heard.damaged >= 1, "bit \(bit)")
        }
    }

    @Test func aFrameOfAnotherSessionIsDamaged() {
        let wire = DeviceFrames.frame([0x20, 7], session: Self.session + 1)
        let heard = DeviceFrames.receive(wire, session: Self.session)
        #expect(heard.bodies.isEmpty)
        #expect(heard.damaged == 1)
    }

    @Test func everyTruncationIsDamagedAndTheNextFrameIsNot() {
        let body: [UInt8] = [0x46, 1, 1, 0, 0x80]
        let wire = DeviceFrames.frame(body, session: Self.session)
        for length in 1..<(wire.count - 1) {
            let heard = DeviceFrames.receive(wire[..<length] + [0] + wire, session: Self.session)
            #expect(heard.bodies == [body])
            #expect(heard.damaged == 1, "length \(length)")
        }
    }

    @Test func emptyFramesAreNotDamage() {
        let heard = DeviceFrames.receive([0, 0, 0, 0], session: Self.session)
        #expect(heard.bodies.isEmpty)
        #expect(heard.damaged == 0)
    }

    @Test(arguments: [65, 66, 255, 256, 300, 70_000])
    func anOverlongFrameIsOneDamagedFrame(length: Int) {
        let noise = [UInt8](repeating: 0x55, count: length)
        let wire = DeviceFrames.frame([0x20, 7], session: Self.session)
        let heard = DeviceFrames.receive(noise + [0] + wire, session: Self.session)
        #expect(heard.bodies == [[0x20, 7]])
        #expect(heard.damaged == 1)
    }

    @Test func aBodyOfSixtyFiveBytesIsTooLongThoughItsCRCIsRight() {
        let body = [0x44] + [UInt8](repeating: 1, count: 60)
        let whole = body + DeviceFrames.crc(body, session: Self.session).bytes
        let heard = DeviceFrames.receive([66] + whole + [0], session: Self.session)
        #expect(heard.bodies.isEmpty)
        #expect(heard.damaged == 1)
    }

    @Test func garbageNeverMakesAFrame() {
        var random = SeededGenerator(seed: 3)
        let heard = DeviceFrames.receive(random.bytes(300_000), session: Self.session)
        #expect(heard.bodies.isEmpty)
        #expect(heard.damaged > 500)
    }

    @Test func theVectors() throws {
        for line in try Vectors.lines("frames.txt") {
            let fields = line.split(separator: " ").map(String.init)
            switch fields[0] {
            case "crc":
                let crc = DeviceFrames.crc(fields[2].hexBytes, session: fields[1].hex)
                #expect(crc == fields[3].hex, "\(line)")
            case "cobs" where fields[1].hexBytes.count <= 64:
                let body = fields[1].hexBytes
                #expect(DeviceFrames.stuff(body) == fields[2].hexBytes + [0])
                guard (2...60).contains(body.count), body[0] & 0xF0 != 0 else { continue }
                let sum = DeviceFrames.crc(body, session: 7).bytes
                #expect(DeviceFrames.frame(body, session: 7) == DeviceFrames.stuff(body + sum))
            case "uncobs":
                let heard = DeviceFrames.receive(fields[1].hexBytes + [0], session: 0)
                #expect(heard.bodies.isEmpty, "\(line)")
            case "frame": expectFrame(fields)
            case "stream": expectStream(fields)
            default: #expect(fields[0] == "cobs", "\(line)")
            }
        }
    }

    private func expectFrame(_ fields: [String]) {
        let session: UInt32 = fields[2].hex
        let body = [fields[3].hex, fields[4].hex].map { UInt8($0) } + fields[5].hexBytes
        #expect(DeviceFrames.frame(body, session: session) == fields[7].hexBytes, "\(fields[1])")
        let heard = DeviceFrames.receive(fields[7].hexBytes, session: session)
        #expect(heard.bodies == [body], "\(fields[1])")
    }

    private func expectStream(_ fields: [String]) {
        let heard = DeviceFrames.receive(fields[5].hexBytes, session: fields[2].hex)
        let found = heard.bodies.map { $0.prefix(2).hexText(separator: ":") }
        #expect(found == (fields[3] == "-" ? [] : fields[3].split(separator: ",").map(String.init)))
        #expect(heard.damaged == Int(fields[4]), "\(fields[1])")
    }
}
