// A run: what a seed means, and what came of it.

import BridgeLink
import TestSupport
import VirtualBoard

/// Everything that a seed decides but chance on the way.
public struct Plan: Sendable {
    public let seed: UInt64
    public let faults: [Fault]
    let links: Int
    let line: LineModel.Kind
    /// The actuators of each stream of a board; what is played has one stream, and all of them.
    public let streams: [ActuatorMask]
    /// By how much more than the level an actuator is told, through its curve.
    let shifts: [UInt8]
    /// Of the boards' clocks, in parts per million.
    let drifts: [Double]
    /// Sessions that there may be, one after the other.
    let sessions: Int
    let isTimed: Bool
    /// Whether a stream is revised all the time instead of one being played.
    let isLive: Bool
    /// Whether the actuators have an energy budget.
    let hasBudget: Bool
    let lead: Microseconds
    let length: Microseconds
    let spacing: Int
    /// What else is out of the ordinary.
    let oddities: Oddities
    /// Whether it is one of old times, whose hosts act at each step.
    let isPlain: Bool

    /// - Parameters:
    ///   - actuators: of each board; nil: as the seed has it.
    ///   - isPlain: whether nothing odd happens; what a seed of old times meant.
    public init(seed: UInt64, actuators: Int? = nil, isPlain: Bool = false) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        self.isPlain = isPlain
        links = random.chance(oneIn: 8) ? 2 : 1
        line = random.chance(oneIn: 2) ? .usb : .pty
        drifts = (0..<links).map { _ in .random(in: -5_000...5_000, using: &random) }
        sessions = .random(in: 1...3, using: &random)
        isTimed = random.chance(oneIn: 2)
        isLive = random.chance(oneIn: 4)
        let isBudgeted = random.chance(oneIn: 6)
        lead = .random(in: 200_000...400_000, using: &random)
        length = .random(in: 200_000...900_000, using: &random)
        let spacing = Int.random(in: 12...60, using: &random)
        // A chance of its own: what the other one decides does not depend on it.
        var ofBoard = SeededGenerator(seed: ~seed)
        let several = ofBoard.chance(oneIn: 3) ? Int.random(in: 2...8, using: &ofBoard) : 1
        let count = actuators ?? several
        shifts =
            count == 1 ? [0] : (0..<count).map { _ in [0, 8, 16].randomElement(using: &ofBoard)! }
        let streamCount = isLive ? Int.random(in: 1...min(count, 4), using: &ofBoard) : 1
        streams = (0..<streamCount).map { first in
            stride(from: first, to: count, by: streamCount).reduce(into: []) {
                $0.insert(ActuatorMask(index: $1))
            }
        }
        let end = lead + length + 200_000
        let faults = Fault.schedule(
            until: end, links: links, actuators: count, using: &random)
        oddities =
            isPlain ? .none : Oddities(seed: seed, links: links, actuators: count, end: end)
        self.spacing = oddities.spacing ?? spacing
        hasBudget = isBudgeted || oddities.hasBudget
        self.faults = (faults + oddities.faults).sorted { $0.time < $1.time }
    }

    /// How the boards poll the core, for people.
    public var port: String { "\(oddities.port), hours: \(oddities.hours.map { "\($0)" } ?? "no")" }

    /// Whether the session of a host mutes, or takes that back.
    var mutes: Bool {
        faults.contains { if case .mute = $0.kind { true } else { false } }
    }

    /// How many a board has.
    public var actuators: Int { shifts.count }

    /// Chips wake one after the other; the first one does in any case.
    var wakingTime: Microseconds { 2_500 * Microseconds(actuators - 1) }

    /// Of scores: such that the curve adds the same to each.
    var levelSteps: Int { actuators == 1 ? 30 : 15 }

    /// Of each actuator.
    var configurations: [ActuatorConfiguration] {
        shifts.map { shift in
            var configuration = ActuatorConfiguration.coinLRA
            configuration.curve = LevelCurve(low: shift, mid: 128 + shift, high: .max)
            if hasBudget { (configuration.sustained, configuration.budget) = (100, 60) }
            return configuration
        }
    }
}

/// What a run came to.
public struct Verdict: Sendable {
    public var violations: [Violation]
    /// Frames whose damage the CRC missed.
    public var collisions: Int
    /// What happened, if it was traced.
    public var log: [String]
}

public enum Simulation {
    public typealias MakeBoard = @Sendable () -> any BreakableBoard

    /// How finely host and boards take turns.
    private static let step: Microseconds = 200
    /// Longer than any session waits for anything.
    private static let limit: Microseconds = 20_000_000
    /// After the end: what is still sent again, brake windows, and dead-men of boards that were left.
    private static let rest: Microseconds = 1_200_000

    /// Runs a seed.
    ///
    /// - Parameters:
    ///   - omitted: faults that do not happen, by their place in the plan's schedule.
    ///   - makeBoard: other boards than those in this process; they are configured over the link, and
    ///     have one actuator.
    public static func run(
        _ plan: Plan, without omitted: Set<Int> = [], isTraced: Bool = false,
        makeBoard: MakeBoard? = nil
    ) -> Verdict {
        if let hours = plan.oddities.hours, makeBoard == nil {
            return SilentHours(hours, seed: plan.seed, isTraced: isTraced).run()
        }
        let links = (0..<plan.links).map {
            SimulatedLink(
                index: $0, plan: plan, board: makeBoard?() ?? InProcessBoard.simulated(plan),
                isConfigured: makeBoard == nil, isTraced: isTraced)
        }
        var faults = plan.faults.enumerated().filter { !omitted.contains($0.offset) }
            .map(\.element)[...]
        var now: Microseconds = 0
        var overSince: Microseconds?
        while now < min(limit, (overSince ?? limit) + rest) {
            now += step
            while let fault = faults.first, fault.time <= now {
                links[fault.link].meet(fault)
                faults.removeFirst()
            }
            for link in links { link.step(to: now) }
            let isOver = faults.isEmpty && links.allSatisfy(\.isOver)
            overSince = isOver ? overSince ?? now : nil
        }
        for link in links { link.judge() }
        return Verdict(
            violations: links.flatMap(\.referee.violations),
            collisions: links.reduce(0) { $0 + $1.collisions }, log: links.flatMap(\.log))
    }

    /// The fewest faults with which a plan still fails, as those to leave out.
    public static func shrink(_ plan: Plan, makeBoard: MakeBoard? = nil) -> Set<Int> {
        var omitted: Set<Int> = []
        for index in plan.faults.indices.reversed() {
            let fewer = omitted.union([index])
            if !run(plan, without: fewer, makeBoard: makeBoard).violations.isEmpty {
                omitted = fewer
            }
        }
        return omitted
    }
}

extension InProcessBoard {
    fileprivate static func simulated(_ plan: Plan) -> InProcessBoard {
        .configured { options in
            options.port = plan.oddities.port
            (options.actuators, options.streams) = (plan.actuators, plan.streams.count)
            for (index, configuration) in plan.configurations.enumerated() {
                options.configurations[UInt8(index)] = configuration.bytes
            }
        }
    }
}

extension LockStepBoard {
    /// The image that ships on the simulated ATmega328P.
    @Sendable public static func simulated() -> LockStepBoard {
        do {
            return try LockStepBoard(program: simulator, image: image)
        } catch {
            fatalError("no simulated board: \(error)")
        }
    }
}
