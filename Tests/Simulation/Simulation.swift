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

    public init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.seed = seed
        links = random.chance(oneIn: 8) ? 2 : 1
        line = random.chance(oneIn: 2) ? .usb : .pty
        drifts = (0..<links).map { _ in .random(in: -5_000...5_000, using: &random) }
        sessions = .random(in: 1...3, using: &random)
        isTimed = random.chance(oneIn: 2)
        isLive = random.chance(oneIn: 4)
        hasBudget = random.chance(oneIn: 6)
        lead = .random(in: 200_000...400_000, using: &random)
        length = .random(in: 200_000...900_000, using: &random)
        spacing = .random(in: 12...60, using: &random)
        faults = Fault.schedule(
            until: lead + length + 200_000, links: links, using: &random)
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
    /// After the end: brake windows, and dead-men of boards that were left.
    private static let rest: Microseconds = 500_000

    /// Runs a seed.
    ///
    /// - Parameters:
    ///   - omitted: faults that do not happen, by their place in the plan's schedule.
    ///   - makeBoard: other boards than those in this process; they are configured over the link.
    public static func run(
        _ plan: Plan, without omitted: Set<Int> = [], isTraced: Bool = false,
        makeBoard: MakeBoard? = nil
    ) -> Verdict {
        let configuration = ActuatorConfiguration.simulated(hasBudget: plan.hasBudget)
        let links = (0..<plan.links).map {
            SimulatedLink(
                index: $0, plan: plan, configuration: configuration,
                board: makeBoard?()
                    ?? InProcessBoard.configured { $0.configuration = configuration.bytes },
                isConfigured: makeBoard == nil, isTraced: isTraced)
        }
        var faults = plan.faults.enumerated().filter { !omitted.contains($0.offset) }
            .map(\.element)[...]
        var now: Microseconds = 0
        var overSince: Microseconds?
        while now < min(limit, (overSince ?? limit) + rest) {
            now += step
            while let fault = faults.first, fault.time <= now {
                links[fault.link].meet(fault.kind)
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

extension ActuatorConfiguration {
    static func simulated(hasBudget: Bool) -> Self {
        var configuration = ActuatorConfiguration.coinLRA
        if hasBudget { (configuration.sustained, configuration.budget) = (100, 60) }
        return configuration
    }
}

extension LockStepBoard {
    /// The image that ships on the simulated ATmega328P.
    @Sendable public static func simulated() -> any BreakableBoard {
        do {
            return try LockStepBoard(program: simulator, image: image)
        } catch {
            fatalError("no simulated board: \(error)")
        }
    }
}
