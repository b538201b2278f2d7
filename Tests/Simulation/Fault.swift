// What goes wrong in a run, and when: a schedule that follows from a seed.

import BridgeLink
import TestSupport

/// One thing that happens to a link at a time.
public struct Fault: Equatable, Sendable, CustomStringConvertible {
    public enum Kind: Equatable, Sendable {
        /// One flipped bit in so many bytes, both ways, for so long.
        case noise(bytes: Int, Microseconds)
        /// The next bytes towards the board, or the host, get lost.
        case lose(Int, toBoard: Bool)
        /// They arrive twice.
        case repeated(Int, toBoard: Bool)
        /// Nothing gets through for a while; then all of it does at once.
        case stall(Microseconds, toBoard: Bool)
        /// Nothing gets through, and is gone.
        case disconnect(Microseconds)
        /// The host's process stands still.
        case pause(Microseconds)
        /// The host's clock goes on by so much at once.
        case jump(Microseconds)
        case reset
        case powerCycle
        case watchdog
        case chip(ChipFault)
        case stop
        case mute(Bool)
        case gain(UInt8)
        /// The host is killed, and another begins.
        case restart
        /// A chip's protections at a place in the sequence of transfers.
        case strike(Strike)
        case calibrate(diagnoses: Bool)
        case save
        /// Said twice by somebody who counts from 0.
        case stopOfIDZero
        case muteOfIDZero
        /// The host is not heard; the board hears what it said itself last, again and again.
        case echo(Microseconds)
        /// OPEN of the stream that plays, which is rejected: too much memory, or actuators in use.
        case badOpen(isTooLarge: Bool)
    }

    public var time: Microseconds
    public var link: Int
    /// Whose chip it is, if it is a chip's.
    public var actuator: Int
    public var kind: Kind

    public var description: String {
        if isOfChip { return "\(time) us, board \(link), actuator \(actuator): \(kind)" }
        return "\(time) us, board \(link): \(kind)"
    }
}

extension Fault {
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

    /// Whether levels on the bus are other than the stream's from then on.
    var changesLevels: Bool {
        switch self {
        case .mute, .gain, .muteOfIDZero: true
        default: false
        }
    }

    /// Whether what plays is to go on as if nothing had been said.
    var isHarmless: Bool {
        switch self {
        case .save, .badOpen: true
        default: false
        }
    }
}
