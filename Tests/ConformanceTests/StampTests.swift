// The times that a board gives to the bytes that it receives (SPEC 4.5): `receive` of CLOCK_REPLY is
// the time at which the last byte of CLOCK arrived.

import BridgeLink
import CBridgeProtocol
import TestSupport
import Testing
import VirtualBoard

@Suite struct StampTests {
    /// The largest error of a stamp, in microseconds (Firmware/Porting.md, Stamps).
    private static let tolerance = 20
    /// The number of exchanges, each of which begins at another phase of the board's loop.
    private static let trials = 24

    /// Checks CLOCKs that follow each other without a gap, or with another query between them. Their
    /// stamps are as far apart as the ends of their last bytes.
    ///
    /// No distance may be shorter. The bytes of a real line may come with gaps, so only the shortest
    /// distance has a limit above.
    @Test(arguments: ConformanceBoard.withBaudRate, [false, true])
    func clocksInARowAreStampedAsFarApartAsTheirBytesTake(
        _ board: ConformanceBoard, withAnotherBetween: Bool
    ) async throws {
        let queries: [Query] = withAnotherBetween ? [.clock, .status, .clock] : [.clock, .clock]
        try await board.test { rig in
            var distances: [Int] = []
            for trial in 0..<Self.trials {
                let exchange = rig.exchange(queries, pause: BoardTime(trial * 137))
                // A board may drop an answer that has not left when the next CLOCK arrives.
                let replies = exchange.answers.map(\.reply)
                guard replies.count == 2 else { continue }
                distances.append(Int(replies[1].received &- replies[0].received))
            }
            let bytes = (queries.count - 1) * Exchange.queryBytes
            let expected = bytes * Int(Exchange.byteTime)
            let (least, most) = (expected - 2 * Self.tolerance, expected + 2 * Self.tolerance)
            let shortest = try #require(distances.min(), "no CLOCK was answered beside another")
            #expect(shortest >= least, "\(bytes) bytes apart: \(distances) us")
            #expect(shortest <= most, "\(bytes) bytes apart: \(distances) us")
        }
    }

    /// Checks that the stamp lies between the end of the query and the answer: the time that the
    /// board claims for itself is no longer than what the host measures, less the query's bytes. In
    /// virtual time the stamp itself is compared with the end of the query's last byte.
    @Test(arguments: ConformanceBoard.withBaudRate)
    func theStampsOfAClockLieWithinItsExchange(_ board: ConformanceBoard) async throws {
        try await board.test { rig in
            for trial in 0..<Self.trials {
                let exchange = rig.exchange([.clock], pause: BoardTime(trial * 137))
                let (reply, arrival) = try #require(exchange.answers.first, "CLOCK is not answered")
                let own = Int(Int32(bitPattern: reply.transmitted &- reply.received))
                let end = exchange.start + BoardTime(Exchange.queryBytes) * Exchange.byteTime
                // A clock may be off by 1 %.
                let measured = Int(arrival - end) * 101 / 100 + Self.tolerance
                #expect((0...max(0, measured)).contains(own), "\(own) us of \(measured) us")
                if !board.isRealTime {
                    let error = rig.board.traceTime(of: reply.received) - end
                    #expect(abs(error) <= Self.tolerance, "the stamp is off by \(error) us")
                }
            }
        }
    }
}

/// Queries that were sent in a row, and the answers to those that were CLOCK.
private struct Exchange {
    /// The time at which the first byte began to leave, on the host's clock.
    var start: BoardTime
    /// The answers, with the times at which their last bytes had arrived, on the host's clock.
    var answers: [(reply: ClockReply, arrival: BoardTime)] = []

    /// The time that a byte takes on the line, in microseconds.
    static let byteTime = BoardTime(10_000_000 / BRIDGE_BAUD)
    /// The size on the wire of a query without a payload.
    static let queryBytes = Int(BRIDGE_BODY_MIN) + 2
    /// The tag of the first query, which the session itself does not use in this time.
    static let firstTag: UInt8 = 240
    static let limit: BoardTime = 100_000
}

extension Rig {
    /// Sends queries without a payload in a row, after a pause in which the line becomes free, and
    /// waits for the answer to the last one.
    fileprivate func exchange(_ queries: [Query], pause: BoardTime) -> Exchange {
        link.run(for: 2_000)
        beSilent(for: 3_000 + pause)
        let encoder = FrameEncoder(session: link.session.sessionID)
        let bytes = queries.enumerated().flatMap { index, query in
            encoder.encode(
                Frame(.query(query), sequence: Exchange.firstTag + UInt8(index)))
        }
        var exchange = Exchange(start: board.now)
        board.send(bytes, at: board.now)
        let lastTag = Exchange.firstTag + UInt8(queries.count - 1)
        var decoder = FrameDecoder(session: link.session.sessionID)
        while board.now < exchange.start + Exchange.limit {
            board.advance(to: board.now + 100)
            let sent = board.takeSent()
            link.listen(to: sent)
            for byte in sent {
                guard let frame = decoder.receive(byte.byte), frame.sequence >= Exchange.firstTag,
                    case .clockReply(let reply)? = try? Message(
                        type: frame.type, payload: frame.payload)
                else { continue }
                exchange.answers.append((reply, byte.time))
                if frame.sequence == lastTag { return exchange }
            }
        }
        return exchange
    }
}
