// PlayWarnings: what is said of a pattern before it plays.

import BridgeLink
import HapticBridge
import HapticCompiler

/// Says what is wrong with patterns, and what boards cannot do of them.
struct PlayWarnings {
    let output: OutputOptions

    /// Says what reading and compiling a pattern has found.
    func remark(on pattern: PatternFile) {
        let shown = output.verbose ? pattern.diagnostics : pattern.repairs
        for diagnostic in shown { output.remark(diagnostic.line(file: pattern.name)) }
        for item in pattern.report?.items ?? [] { output.detail(item.line(file: pattern.name)) }
    }

    /// Says what a board and its actuators cannot do of a pattern. A board that does not answer says so
    /// when it is to play.
    func remark(on pattern: PatternFile, for board: HapticBoard, _ mask: ActuatorMask) {
        try? remarkOnSchedule(of: pattern, on: board)
        for actuator in mask.indices where actuator < board.welcome.actuators {
            try? remarkOnBudget(of: pattern, on: board, actuator)
        }
    }

    private func remarkOnBudget(
        of pattern: PatternFile, on board: HapticBoard, _ actuator: UInt8
    ) throws {
        let configuration = try board.link.configuration(ofActuator: actuator)
        guard configuration.kind != .none else { return }
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let excess = budget.firstExcess(in: pattern.events, tick: pattern.tick) {
            configuration.tapLength(sharpness: $0)
        }
        guard let excess else { return }
        output.remark(
            "\(pattern.name): warning: at \(excess.secondsText), if it starts cold, the actuator's "
                + "energy budget is used up, and the board limits it to \(budget.sustainedPercent) %"
        )
    }

    /// Says what of the board is too slow for a pattern.
    private func remarkOnSchedule(of pattern: PatternFile, on board: HapticBoard) throws {
        let memory = Int(board.welcome.eventMemory)
        let problems = try ScheduleCheck.problems(
            of: pattern.bytes, tick: pattern.tick,
            on: ScheduleCheck.Board(eventMemory: memory))
        for problem in problems { output.remark("\(pattern.name): warning: \(problem)") }
    }
}
