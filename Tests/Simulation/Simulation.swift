// Simulation: a run of the plan that a seed determines, and the result of the run.

import BridgeLink
import DRV2605
import TestSupport
import VirtualBoard

enum Simulation {
    typealias MakeBoard = @Sendable () -> any BreakableBoard

    /// The length of one turn of the host and the boards.
    private static let step: Microseconds = 200
    /// The time limit of a run, which exceeds every timeout of a session.
    private static let limit: Microseconds = 20_000_000
    /// The additional time after the end of the run for repeated frames, brake windows, and the
    /// dead-man timers of abandoned boards.
    private static let rest: Microseconds = 1_200_000

    /// Runs the plan of a seed.
    ///
    /// - Parameters:
    ///   - omitted: the faults that do not occur, by their index in the plan's schedule.
    ///   - makeBoard: a closure that creates boards with one actuator, which are configured over
    ///     the link; nil for in-process boards.
    static func run(
        _ plan: Plan, without omitted: Set<Int> = [], isTraced: Bool = false,
        makeBoard: MakeBoard? = nil
    ) -> Verdict {
        if let hours = plan.oddities.hours, makeBoard == nil {
            return SilentHours(hours, seed: plan.seed, isTraced: isTraced).run()
        }
        let links = (0..<plan.links).map {
            FaultLink(
                index: $0, plan: plan, board: makeBoard?() ?? InProcessBoard.simulated(plan),
                isConfigured: makeBoard == nil, isTraced: isTraced)
        }
        for link in links where plan.hasWeakPullUps { link.board.chip(.weakPullUps(true)) }
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

    /// Returns the faults that can be omitted so that the plan still fails with as few faults as
    /// possible.
    static func shrink(_ plan: Plan, makeBoard: MakeBoard? = nil) -> Set<Int> {
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
    /// Returns a board whose image runs on its simulator.
    static func simulated(by simulator: BoardSimulator) -> LockStepBoard {
        do {
            return try LockStepBoard(simulator)
        } catch {
            fatalError("no simulated board: \(error)")
        }
    }
}
