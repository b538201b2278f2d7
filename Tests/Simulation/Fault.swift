// The faults of a run and their times, which are derived from a seed.

import BridgeLink
import TestSupport

/// A fault that affects a link at a certain time.
struct Fault: Equatable, Sendable, CustomStringConvertible {
    enum Kind: Equatable, Sendable {
        /// One flipped bit per `bytes` bytes in both directions, for the given time.
        case noise(bytes: Int, Microseconds)
        /// The loss of the next bytes toward the board or toward the host.
        case lose(Int, toBoard: Bool)
        /// The duplication of the next bytes toward the board or toward the host.
        case repeated(Int, toBoard: Bool)
        /// A stall: no bytes are delivered for the given time, and then all delayed bytes are
        /// delivered together.
        case stall(Microseconds, toBoard: Bool)
        /// A disconnection: all bytes sent during the given time are lost.
        case disconnect(Microseconds)
        /// A pause of the host's process.
        case pause(Microseconds)
        /// A forward jump of the host's clock by the given time.
        case jump(Microseconds)
        case reset
        case powerCycle
        case watchdog
        case chip(ChipFault)
        case stop
        case mute(Bool)
        case gain(UInt8)
        /// The end of the host's process. Another host then begins.
        case restart
        /// A fault of a chip at a certain point in the sequence of transfers.
        case strike(Strike)
        case calibrate(diagnoses: Bool)
        case save
        /// A STOP with id 0 that a host sends twice because its ids start at 0.
        case stopOfIDZero
        case muteOfIDZero
        /// An echo: the host's bytes are lost, and the board repeatedly receives the last bytes
        /// that the board itself has sent.
        case echo(Microseconds)
        /// An OPEN of the playing stream that the board rejects, because of too much memory or
        /// actuators that are in use.
        case badOpen(isTooLarge: Bool)
    }

    var time: Microseconds
    var link: Int
    /// The actuator whose chip is affected, if the fault concerns a chip.
    var actuator: Int
    var kind: Kind

    var description: String {
        if isOfChip { return "\(time) us, board \(link), actuator \(actuator): \(kind)" }
        return "\(time) us, board \(link): \(kind)"
    }
}

extension Fault {
    func later(by time: Microseconds) -> Fault {
        Fault(time: self.time + time, link: link, actuator: actuator, kind: kind)
    }

    private var isOfChip: Bool {
        switch kind {
        case .chip, .strike, .calibrate, .save: true
        default: false
        }
    }

    static func schedule(
        until end: Microseconds, links: Int, actuators: Int, using random: inout SeededGenerator
    ) -> [Fault] {
        let count = random.chance(oneIn: 8) ? 0 : Int.random(in: 1...5, using: &random)
        return (0..<count).map { _ in
            Fault(
                time: .random(in: 0..<end, using: &random),
                link: .random(in: 0..<links, using: &random),
                actuator: actuators > 1 ? .random(in: 0..<actuators, using: &random) : 0,
                kind: .random(using: &random))
        }.sorted { $0.time < $1.time }
    }
}

extension Fault.Kind {
    fileprivate static func random(using random: inout SeededGenerator) -> Self {
        let toBoard = Bool.random(using: &random)
        let count = Int.random(in: 1...40, using: &random)
        let short = Microseconds.random(in: 1_000...120_000, using: &random)
        switch Int.random(in: 0..<22, using: &random) {
        case 0, 1:
            return .noise(
                bytes: [67, 127, 211, 1_009].randomElement(using: &random)!,
                .random(in: 50_000...1_000_000, using: &random))
        case 2, 3: return .lose(count, toBoard: toBoard)
        case 4: return .repeated(count, toBoard: toBoard)
        case 5, 6: return .stall(short, toBoard: toBoard)
        case 7, 8: return .disconnect(random.chance(oneIn: 2) ? 3_000_000 : short)
        case 9: return .pause(short * (random.chance(oneIn: 3) ? 10 : 1))
        case 10: return .jump(short)
        case 11: return .reset
        case 12: return .powerCycle
        case 13: return .watchdog
        case 14, 15: return .chip(chip(isForGood: count > 20, using: &random))
        case 16, 17: return .stop
        case 18: return .mute(random.chance(oneIn: 2))
        case 19: return .gain(.random(in: 1...255, using: &random))
        default: return .restart
        }
    }

    private static func chip(
        isForGood: Bool, using random: inout SeededGenerator
    ) -> ChipFault {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return .nack(bytes: .random(in: 1...4, using: &random))
        case 2: return .nack(bytes: isForGood ? 10_000 : 40)
        case 3: return .brownOut
        case 4: return .hot(true)
        default: return .short(true)
        }
    }

    /// True if the fault causes subsequent levels on the bus to differ from the levels of the
    /// stream.
    var changesLevels: Bool {
        switch self {
        case .mute, .gain, .muteOfIDZero: true
        default: false
        }
    }

    /// True if the playback must continue as if the fault's message had not been sent.
    var isHarmless: Bool {
        switch self {
        case .save, .badOpen: true
        default: false
        }
    }
}
