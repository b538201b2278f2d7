// The traffic of a busy host other than events: queries of every type, and more bytes than a board
// can accept.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

extension DenseHost {
    /// The queries, with the types of their answers. CLOCK is the most frequent query, because the
    /// referee checks the times in its answers.
    private static let queries: [(answer: MessageType, query: Query)] = [
        (.clockReply, .clock), (.status, .status), (.stream, .stream(0)),
        (.clockReply, .clock), (.actuator, .actuator(0)),
        (.configuration, .configuration(actuator: 0)),
    ]
    /// The maximum number of unanswered messages that a host may have (SPEC 4.4).
    private static let waitingMax = 4

    /// Sends a query of a type for which no answer is pending. Returns false if the host may not
    /// send a query.
    @discardableResult
    func ask(after pause: Cycle = 0, gaps: Bool = false) -> Bool {
        let free = Self.queries.filter { waiting[$0.answer] == nil }
        guard waiting.count < Self.waitingMax, let choice = free.randomElement(using: &random)
        else { return false }
        ask(choice.query, answer: choice.answer, after: pause, gaps: gaps)
        return true
    }

    func ask(_ query: Query, answer: MessageType, after pause: Cycle = 0, gaps: Bool = false) {
        tag = tag == .max ? 1 : tag + 1
        put(.query(query), sequence: tag, after: pause, gaps: gaps)
        waiting[answer] = (tag, board.lineFree)
    }

    /// Sends a query after a random delay, and runs until the end of its last byte. One query in
    /// four has gaps between its bytes.
    ///
    /// - Parameter pause: the maximum delay, in microseconds.
    func askAtAnyPhase(within pause: BoardTime) {
        feed()
        let gaps = random.chance(oneIn: 4)
        let phases = 0..<board.simulator.cycles(pause)
        guard ask(after: .random(in: phases, using: &random), gaps: gaps) else {
            return run(for: 200)
        }
        run(to: max(board.lineFree, board.cycle + 1))
    }

    /// Sends all messages that may be in transit at the same time.
    ///
    /// - Parameter id: the id of STOP and of MUTE, which must be different for each call.
    func sendAllAtOnce(id: UInt8) {
        fillWindow()
        stop(id: id)
        put(.mute(Mute(id: id, actuators: .all, isMuted: false)))
        for _ in 0..<2 { ask(.configuration(actuator: 0), answer: .configuration) }
    }

    // MARK: Excess traffic

    /// Returns a burst with more bytes than the board can buffer.
    enum Burst: CaseIterable {
        case noise, zeros, repeats
    }

    /// The time that the board needs to process a full receive buffer.
    private static let settling: BoardTime = 400_000
    private static let step: BoardTime = 10_000

    /// Sends a burst with queries in between, and then only queries, until the board answers a
    /// query that was sent after the burst.
    func burst(_ burst: Burst) {
        let bytes = bytes(of: burst) + [UInt8(BRIDGE_DELIMITER)]
        referee.losesBytes(until: .max)
        for part in stride(from: 0, to: bytes.count, by: 200) {
            put(Array(bytes[part..<min(part + 200, bytes.count)]))
            if burst != .zeros, random.chance(oneIn: 2) { ask() }
        }
        let end = board.lineFree
        run(to: end)
        let limit = end + board.simulator.cycles(Self.settling)
        while heardUntil <= end, board.cycle < limit {
            ask()
            run(pastLineFor: Self.step)
        }
        referee.losesBytes(until: board.lineFree)
    }

    private func bytes(of burst: Burst) -> [UInt8] {
        let count = Int.random(in: 300...1_500, using: &random)
        switch burst {
        case .zeros: return [UInt8](repeating: 0, count: count)
        case .repeats: return (0..<3).flatMap { _ in recent.flatMap(\.self) }
        case .noise:
            let zeros = Int.random(in: 4...60, using: &random)
            return random.bytes(count).map { random.chance(oneIn: zeros) ? 0 : $0 }
        }
    }
}
