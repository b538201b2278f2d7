// What a seed decides beside the line, the clocks and the faults: ports, hours, and odd hosts.

import BridgeLink
import TestSupport
import VirtualBoard

/// Comes from chance of its own, so that what a seed meant before stays what it means.
public struct Oddities: Sendable {
    /// How the boards' ports poll the core.
    var port = InProcessBoard.Port.attentive
    /// Hours of silence instead of a session with faults.
    var hours: Hours?
    /// Whether a board has an energy budget that its plan does not know of.
    var hasBudget = false
    /// The least time between two levels, in ticks.
    var spacing: Int?
    /// What else happens.
    var faults: [Fault] = []

    /// Nothing odd.
    static let none = Oddities()

    private init() {}

    init(seed: UInt64, links: Int, actuators: Int, end: Microseconds) {
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ 0x0DD)
        if random.chance(oneIn: 16) { hours = Hours(using: &random) }
        if random.chance(oneIn: 4) { choosePort(using: &random) }
        hasBudget = random.chance(oneIn: 8) || spacing != nil
        let isTorn = random.chance(oneIn: 3)
        var faults: [Fault] = []
        func add(_ time: ClosedRange<Microseconds>, _ kind: Fault.Kind) {
            let time = Microseconds.random(in: time, using: &random)
            let link = Int.random(in: 0..<links, using: &random)
            let actuator = Int.random(in: 0..<actuators, using: &random)
            faults.append(Fault(time: time, link: link, actuator: actuator, kind: kind))
        }
        for _ in 0..<(isTorn ? Int.random(in: 1...2, using: &random) : 0) {
            add(0...1, .strike(Strike(using: &random)))
        }
        for _ in 0..<(random.chance(oneIn: 3) ? Int.random(in: 1...3, using: &random) : 0) {
            add(20_000...end, .odd(using: &random))
        }
        let loops = hasBudget ? random.chance(oneIn: 2) : random.chance(oneIn: 12)
        for _ in 0..<(loops ? Int.random(in: 2...6, using: &random) : 0) {
            add(20_000...end + 1_500_000, .calibrate(diagnoses: random.chance(oneIn: 2)))
        }
        self.faults = faults
    }

    /// How long so many rounds take where the core waits for the time, as it does a few times while it
    /// sets up a chip, one after the other.
    func rounds(_ count: Int) -> BoardTime {
        port.isAttentive ? 0 : BoardTime(count) * (port.interval + port.clockLag)
    }

    private mutating func choosePort(using random: inout SeededGenerator) {
        let interval: BoardTime = [1_000, 1_000, 10_000, 50_000].randomElement(using: &random)!
        port = InProcessBoard.Port(
            interval: interval, isAttentive: false, pollsMost: 400,
            clockLag: random.chance(oneIn: 2) ? interval : 0)
        // Levels that outlast what passes between two looks at them.
        if interval > 1_000, random.chance(oneIn: 2) {
            spacing = .random(in: 300...1_200, using: &random)
        }
    }
}

/// A chip's own protections, or its supply, at a place in the sequence of the board's transfers.
public struct Strike: Equatable, Sendable {
    /// The transfer just before which it comes, counted from power-up.
    var transfer: Int
    /// How many transfers later it is over, if it ever is.
    var length: Int?
    var fault: ChipFault

    init(using random: inout SeededGenerator) {
        // Setting up takes about 35 transfers, and waking 6.
        transfer = .random(in: 0...(random.chance(oneIn: 2) ? 80 : 400), using: &random)
        length = random.chance(oneIn: 2) ? .random(in: 1...60, using: &random) : nil
        fault = [.hot(true), .hot(true), .short(true), .short(true), .brownOut]
            .randomElement(using: &random)!
    }

    /// What ends it.
    var relief: ChipFault? {
        switch fault {
        case .hot: .hot(false)
        case .short: .short(false)
        default: nil
        }
    }
}

extension Fault.Kind {
    /// What a host may say, too.
    fileprivate static func odd(using random: inout SeededGenerator) -> Self {
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: .stopOfIDZero
        case 2: .muteOfIDZero
        case 3, 4: .echo(.random(in: 300_000...900_000, using: &random))
        case 5, 6: .badOpen(isTooLarge: random.chance(oneIn: 2))
        case 7: .save
        default: .calibrate(diagnoses: random.chance(oneIn: 2))
        }
    }
}
