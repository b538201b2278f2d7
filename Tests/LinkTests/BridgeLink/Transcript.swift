// Transcript: plays the host's side of a transcript in Firmware/protocol/vectors/sessions.

import Testing

@testable import BridgeLink

struct Transcript {
    static let sessionID: UInt32 = 0x1234_5678

    private struct Line {
        let time: HostTime
        let mark: String
        let wire: [UInt8]
    }

    private let name: String
    private let lines: [Line]

    init(_ name: String) throws {
        self.name = name
        lines = try Vectors.lines("sessions/\(name).txt").map { text in
            let words = text.split(separator: " ").map(String.init)
            return Line(
                time: HostTime(microseconds: Int64(words[0])!), mark: words[1],
                wire: Self.wire(Array(words.dropFirst(2))))
        }
    }

    /// Plays every line. `actions` contains the host's actions at the times of its lines.
    func play(
        versions: ClosedRange<UInt8> = Hello.ownVersions,
        _ actions: [HostTime: (inout LinkSession) -> Void] = [:]
    ) -> [LinkEvent] {
        var timing = LinkTiming()
        timing.clock = nil
        timing.keepAliveInterval = .milliseconds(1_000_000)
        var session = LinkSession(
            sessionID: Self.sessionID, timing: timing, versions: versions, at: 0)
        var actions = actions
        var sent: [[UInt8]] = []
        for line in lines {
            switch line.mark {
            case ">", "x>":
                session.poll(at: line.time)
                actions.removeValue(forKey: line.time)?(&session)
                sent += frames(session.nextOutput(limit: 1_000, at: line.time))
                #expect(
                    !sent.isEmpty && sent.removeFirst() == line.wire,
                    "\(name) at \(line.time.microseconds)")
            case "<": session.receive(line.wire, at: line.time)
            default: break
            }
        }
        sent += frames(session.nextOutput(limit: 1_000, at: lines.last!.time))
        #expect(sent.isEmpty && actions.isEmpty, "\(name)")
        return sequence(state: session) { $0.nextEvent() }.map { $0 }
    }

    /// Splits bytes into complete frames, including their delimiters.
    private func frames(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split(separator: 0).map { $0 + [0] }
    }

    /// Returns the specified frame, or a frame that is built from a body, with zeros for the masked
    /// bytes and a matching CRC.
    private static func wire(_ words: [String]) -> [UInt8] {
        guard words[0] == "body" else { return hex(words[0]) }
        let body = words.dropFirst().dropLast(4).map { $0 == ".." ? 0 : hex($0)[0] }
        let frame = Frame(
            type: MessageType(rawValue: body[0]), sequence: body[1],
            payload: Array(body.dropFirst(2)))
        return FrameEncoder(session: sessionID).encode(frame)
    }
}
