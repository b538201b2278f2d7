// Tests of the arrival times that a board records for received bytes (SPEC 4.5). `receive` in
// CLOCK_REPLY is the arrival time of the last byte of CLOCK.

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct StampTests {
    /// The maximum error of a time stamp, in microseconds (Firmware/Porting.md, Stamps).
    private static let tolerance = 20
    /// The number of exchanges. Each exchange begins at a different phase of the board's loop.
    private static let trials = 24

    /// Checks two CLOCKs that follow each other directly or are separated by idle delimiters, whose
    /// transmission takes as long as one round of the slowest loop. The difference between the
    /// stamps must equal the interval between the last bytes of the CLOCKs.
    ///
    /// No interval may be shorter than the limit. On a real line there may be gaps between bytes,
    /// so only the shortest interval has an upper limit.
    @Test(arguments: ConformanceBoard.withBaudRate, [0, 18])
    func clocksInARowAreStampedAsFarApartAsTheirBytesTake(
        _ board: ConformanceBoard, idleBetween: Int
    ) async throws {
        try await board.test { rig in
            var distances: [Int] = []
            for trial in 0..<Self.trials {
                let exchange = rig.exchange(
                    clocks: 2, idleBetween: idleBetween, pause: BoardTime(trial * 137))
                let replies = exchange.answers.map(\.reply)
                guard replies.count == 2 else { continue }
                distances.append(Int(Int32(bitPattern: replies[1].received &- replies[0].received)))
            }
            let bytes = idleBetween + Exchange.clockBytes
            let expected = bytes * Int(Exchange.byteTime)
            let (least, most) = (expected - 2 * Self.tolerance, expected + 2 * Self.tolerance)
            // A CLOCK replaces an earlier CLOCK that has not yet been answered (SPEC 4.5).
            if distances.isEmpty, idleBetween == 0 { return }
            let shortest = try #require(distances.min(), "the second of two CLOCKs is not answered")
            #expect(shortest >= least, "\(bytes) bytes apart: \(distances) us")
            #expect(shortest <= most, "\(bytes) bytes apart: \(distances) us")
        }
    }

    /// Checks that the stamp lies between the end of the query and the answer. The processing time
    /// that the board reports must not exceed the time that the host measures minus the
    /// transmission time of the query. In virtual time, the stamp is also compared with the end of
    /// the query's last byte.
    @Test(arguments: ConformanceBoard.withBaudRate)
    func theStampsOfAClockLieWithinItsExchange(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            for trial in 0..<Self.trials {
                let exchange = rig.exchange(clocks: 1, pause: BoardTime(trial * 137))
                let (reply, arrival) = try #require(exchange.answers.first, "CLOCK is not answered")
                let own = Int(Int32(bitPattern: reply.transmitted &- reply.received))
                let end = exchange.start + BoardTime(Exchange.clockBytes) * Exchange.byteTime
                // A clock may deviate by 1 %.
                let measured = Int(arrival - end) * 101 / 100 + Self.tolerance
                #expect(
                    (0...max(0, measured)).contains(own),
                    "the board reports \(own) us; the host measures \(measured) us")
                if !board.isRealTime {
                    let error = rig.board.traceTime(of: reply.received) - end
                    #expect(abs(error) <= Self.tolerance, "the stamp deviates by \(error) us")
                }
            }
        }
    }
}

/// A sequence of CLOCKs and the answers to them.
private struct Exchange {
    /// The time at which the transmission of the first byte began, on the host's clock.
    var start: BoardTime
    /// The answers, with the arrival times of their last bytes, on the host's clock.
    var answers: [(reply: ClockReply, arrival: BoardTime)] = []

    /// The transmission time of a byte, in microseconds.
    static let byteTime = BoardTime(10_000_000 / BRIDGE_BAUD)
    /// The size of CLOCK on the wire.
    static let clockBytes = Int(BRIDGE_BODY_MIN) + 2
    /// The tag of the first CLOCK. The session itself does not use this tag during the test.
    static let firstTag: UInt8 = 240
    static let limit: BoardTime = 100_000
}

extension Rig {
    /// Waits until the line is free, sends a sequence of CLOCKs, and waits for the answer to the
    /// last CLOCK.
    fileprivate func exchange(
        clocks: Int, idleBetween: Int = 0, pause: BoardTime
    ) -> Exchange {
        link.run(for: 2_000)
        beSilent(for: 3_000 + pause)
        let session = link.session.sessionID
        let tags = (0..<clocks).map { Exchange.firstTag + UInt8($0) }
        let idle = [UInt8](repeating: UInt8(BRIDGE_DELIMITER), count: idleBetween)
        let frames = tags.map {
            FrameEncoder(session: session).encode(Frame(.query(.clock), sequence: $0))
        }
        var exchange = Exchange(start: board.now)
        board.send(Array(frames.joined(separator: idle)), at: board.now)
        var decoder = FrameDecoder(session: session)
        while board.now < exchange.start + Exchange.limit {
            board.advance(to: board.now + 100)
            let sent = board.drainSent()
            link.listen(to: sent)
            for byte in sent {
                guard let frame = decoder.receive(byte.byte), tags.contains(frame.sequence),
                    case .clockReply(let reply)? = try? Message(
                        type: frame.type, payload: frame.payload)
                else { continue }
                exchange.answers.append((reply, byte.time))
                if frame.sequence == tags.last { return exchange }
            }
        }
        return exchange
    }
}
