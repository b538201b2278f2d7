// Oddities: a seed's decisions about ports, hours of silence and unusual hosts. All other decisions
// concern the line, the clocks and ordinary faults.

import BridgeLink
import TestSupport
import VirtualBoard

/// Unusual circumstances of a run. A separate random generator determines them, so that the other
/// decisions of a seed do not change.
struct Oddities: Sendable {
    /// The method by which the boards' ports poll the core.
    var port = InProcessBoard.Port.attentive
    /// The hours of silence that replace a session with faults; nil if there are none.
    var hours: Hours?
    /// True if the boards have an energy budget even if the plan does not specify one.
    var hasBudget = false
    /// The minimum interval between two levels, in ticks; nil for the planned interval.
    var spacing: Int?
    /// The unusual faults that occur in addition to the planned faults.
    var faults: [Fault] = []

    /// A value without unusual circumstances.
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

    /// Returns the duration of `count` rounds in which the core waits for a time. The core waits
    /// several times in succession while it sets up a chip.
    func rounds(_ count: Int) -> BoardTime {
        port.isAttentive ? 0 : BoardTime(count) * (port.interval + port.clockLag)
    }

    private mutating func choosePort(using random: inout SeededGenerator) {
        let interval: BoardTime = [1_000, 1_000, 10_000, 50_000].randomElement(using: &random)!
        port = InProcessBoard.Port(
            interval: interval, isAttentive: false, pollsMost: 400,
            clockLag: random.chance(oneIn: 2) ? interval : 0)
        // Uses levels that last longer than the interval between two polls of the port.
        if interval > 1_000, random.chance(oneIn: 2) {
            spacing = .random(in: 300...1_200, using: &random)
        }
    }
}

/// A fault of a chip or of its supply that occurs at a certain transfer of the board.
struct Strike: Equatable, Sendable {
    /// The number of the transfer, counted from power-up, that the fault immediately precedes.
    var transfer: Int
    /// The number of transfers after which the fault ends; nil if it never ends.
    var length: Int?
    var fault: ChipFault

    init(using random: inout SeededGenerator) {
        // The setup of a chip takes about 35 transfers, and waking a chip takes 6 transfers.
        transfer = .random(in: 0...(random.chance(oneIn: 2) ? 80 : 400), using: &random)
        length = random.chance(oneIn: 2) ? .random(in: 1...60, using: &random) : nil
        fault = [.hot(true), .hot(true), .short(true), .short(true), .brownOut]
            .randomElement(using: &random)!
    }

    /// The change that ends the fault; nil if the fault does not end.
    var relief: ChipFault? {
        switch fault {
        case .hot: .hot(false)
        case .short: .short(false)
        default: nil
        }
    }
}

extension Fault.Kind {
    /// Returns an unusual message that a host may send.
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
