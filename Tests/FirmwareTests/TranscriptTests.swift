// Tests of complete conversations (vectors/sessions) on the device side. A test sends the host's
// lines at the listed times and expects the device's lines.

import CBridgeFirmware
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct TranscriptTests {
    @Test(arguments: [
        "play", "stop", "reset", "version", "duplicate", "missing", "reject", "revise",
    ])
    func theDeviceSaysItsLines(name: String) throws {
        var player = DevicePlayer()
        for line in try Vectors.lines("sessions/\(name).txt") {
            player.play(try #require(TranscriptLine(line), "\(line)"))
        }
        player.finish()
        #expect(player.mismatches == [])
        #expect(!player.board.chip.pointee.otp_programmed)
        #expect(player.board.chip.pointee.undefined_accesses == 0)
    }
}

/// A line of a transcript: `TIME MARK BYTES`.
private struct TranscriptLine {
    let text: String
    let time: BoardTime
    let mark: String
    /// The body with its CRC. A nil represents an arbitrary byte; the body of an event is empty.
    let body: [UInt8?]
    let words: [String]

    init?(_ line: String) {
        let fields = line.split(separator: " ").map(String.init)
        guard fields.count >= 3, let time = BoardTime(fields[0]) else { return nil }
        (text, self.time, mark, words) = (line, time, fields[1], Array(fields[2...]))
        if mark == "*" {
            body = []
        } else if words[0] == "body" {
            body = words[1...].map { $0 == ".." ? nil : UInt8($0, radix: 16)! }
        } else {
            body = Self.unstuffed(words[0].hexBytes)
        }
    }

    /// Decodes COBS by the simplest method, because the bytes are known to be valid.
    private static func unstuffed(_ wire: [UInt8]) -> [UInt8] {
        var (body, at): ([UInt8], Int) = ([], 0)
        while wire[at] != 0 {
            let next = at + Int(wire[at])
            body += wire[(at + 1)..<next]
            if wire[next] != 0 { body.append(0) }
            at = next
        }
        return body
    }

    var isNotice: Bool { body.first == 0xA1 || body.first == 0xA2 }
}

/// A board that the vectors' README describes, and the expected lines that the board has not yet
/// sent.
private struct DevicePlayer {
    let board = InProcessBoard()
    private(set) var mismatches: [String] = []
    private var said: [[UInt8]] = []
    private var expected: [TranscriptLine] = []
    /// The listed notices that the board has not yet sent. The board may send a notice earlier or
    /// later than listed.
    private var notices: [TranscriptLine] = []
    private var stuffed: [UInt8] = []
    /// The difference, in bytes, between the event memory of the transcript's board and the event
    /// memory of this build.
    private var spareMemory: UInt16 = 0

    mutating func play(_ line: TranscriptLine) {
        switch line.mark {
        case ">":
            let wire = DeviceFrames.stuff(line.body.map { $0 ?? 0 })
            settle(at: line.time - BoardTime(wire.count) * 40)
            board.send(wire, at: board.now)
            board.advance(to: line.time)
        case "*":
            settle(at: line.time)
            board.reset(cause: bridge_reset_cause(rawValue: UInt32(line.words[1])!))
        case "<", "x<":
            recordMemory(line)
            if line.isNotice && line.body[1] == 0 {
                notices.append(line)
            } else {
                expected.append(line)
            }
        default: break  // lost in transit
        }
    }

    /// Checks that the board has sent all expected messages and no other messages.
    mutating func finish() {
        settle(at: board.now + 200_000)
        for notice in notices { mismatches.append("missing: \(notice.text)") }
    }

    /// Advances to the next line of the host. Checks that the board has sent all expected answers
    /// before this line.
    private mutating func settle(at time: BoardTime) {
        board.advance(to: time)
        listen()
        for line in expected {
            let index = said.firstIndex { matches($0, line) }
            if let index {
                said.remove(at: index)
            } else {
                mismatches.append("missing: \(line.text)")
            }
        }
        expected = []
        for body in said where !(body[0] == 0xA1 || body[0] == 0xA2) || body[1] != 0 {
            mismatches.append("not listed: \(body.hexText())")
        }
        said = []
    }

    private mutating func listen() {
        for sent in board.drainSent().map(\.byte) {
            stuffed.append(sent)
            guard sent == 0 else { continue }
            if stuffed.count > 1, let line = TranscriptLine("0 < \(stuffed.hexText())") {
                receive(line.body.map { $0! })
            }
            stuffed = []
        }
    }

    /// Records the size of the event memory that WELCOME reports.
    private mutating func recordMemory(_ line: TranscriptLine) {
        guard line.body.first == 0x02, let low = line.body[25], let high = line.body[26] else {
            return
        }
        spareMemory = (UInt16(high) << 8 | UInt16(low)) &- UInt16(BRIDGE_EVENT_MEMORY)
    }

    /// Returns the body that the same board would have sent with the transcript's event memory.
    private func adapted(_ body: [UInt8]) -> [UInt8] {
        let offsets: [Int] =
            switch body[0] {
            case 0x02: [25]
            case 0x80: Array(stride(from: 9, to: body.count - 4, by: 4))
            case 0xA2: [7, 9]
            default: []
            }
        var content = Array(body.dropLast(4))
        for offset in offsets {
            let value = UInt16(content[offset + 1]) << 8 | UInt16(content[offset])
            content.replaceSubrange(offset...offset + 1, with: (value &+ spareMemory).bytes)
        }
        let session: UInt32 = body[0] & 0xF0 == 0 ? 0 : 0x1234_5678
        return content + DeviceFrames.crc(content, session: session).bytes
    }

    private mutating func receive(_ heard: [UInt8]) {
        let body = adapted(heard)
        if let index = notices.firstIndex(where: { matches(body, $0) }) {
            notices.remove(at: index)
        } else {
            said.append(body)
        }
    }

    private func matches(_ body: [UInt8], _ line: TranscriptLine) -> Bool {
        body.count == line.body.count
            && zip(body, line.body).allSatisfy { $1 == nil || $0 == $1 }
    }
}
