// PlayWarnings: prints warnings about a pattern before it plays.

import BridgeLink
import HapticBridge
import HapticCompiler
import ToolSupport

/// Prints problems in patterns, and limitations of boards that affect the patterns.
struct PlayWarnings {
    let output: OutputOptions

    /// Prints the diagnostics from reading a pattern.
    func remark(on pattern: PatternFile) {
        let shown = output.verbose ? pattern.diagnostics : pattern.repairs
        for diagnostic in shown { output.remark(diagnostic.line(file: pattern.name)) }
    }

    /// Prints the limitations of the board at a port, and of its actuators, that affect a pattern.
    func remark(
        on pattern: PatternFile, at port: String, _ welcome: Welcome, _ rendering: BoardRendering
    ) {
        try? remarkOnSchedule(of: pattern, on: welcome)
        remark(on: pattern, at: port, rendering)
    }

    /// Prints the limitations of the actuators of the board at a port that affect a pattern.
    func remark(on pattern: PatternFile, at port: String, _ rendering: BoardRendering) {
        for item in pattern.report?.items ?? [] { output.detail(item.line(file: pattern.name)) }
        for configuration in rendering.configurations { remarkOnBudget(of: pattern, configuration) }
        remarkOnFeel(of: pattern, at: port, rendering)
    }

    /// Prints one line with the number of events that will not be felt as designed, followed by
    /// advice.
    private func remarkOnFeel(
        of pattern: PatternFile, at port: String, _ rendering: BoardRendering
    ) {
        guard let felt = pattern.felt, let source = pattern.pattern, felt.notAsDesigned > 0 else {
            return
        }
        let unfelt = felt.unfelt > 0 ? ", \(felt.unfelt) of them not at all" : ""
        let isWeakened = rendering.gain < 1
        let gain = isWeakened ? " at a gain of \(rendering.gain.text(decimals: 2))" : ""
        let finding =
            "\(pattern.name): \(felt.notAsDesigned) of \(felt.count.text("event")) will not be felt as "
            + "designed on the \(felt.name)\(gain)\(unfelt) (predicted)"
        // `bridge explain` renders the pattern for all actuators of the board, at full gain.
        let option = BoardOptions.option(forPort: port)
        let isShown =
            rendering.isWhole && rendering.options.alignment == .felt && !isWeakened
        let advice =
            rendering.isOverridden
            ? ["without --profile, the pattern is rendered for the \(felt.name)"]
            : (isWeakened && felt.configuration.kind == .erm
                ? ["an ERM renders the design only at a gain of 1"] : [])
                + felt.advice(on: source)
                + (isShown && pattern.isNamedForShell
                    ? ["`bridge explain \(option) \(pattern.name)` shows each event"] : [])
        output.remark(([finding] + advice).joined(separator: "; "))
    }

    private func remarkOnBudget(of pattern: PatternFile, _ configuration: ActuatorConfiguration) {
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let excess = budget.firstExcess(in: pattern.events, tick: pattern.tick) {
            configuration.tapLength(sharpness: $0)
        }
        guard let excess else { return }
        output.remark(
            "\(pattern.name): warning: if the actuator starts cold, its energy budget is used up "
                + "at \(excess.secondsText), and the board limits the actuator to "
                + "\(budget.sustainedPercent) %"
        )
    }

    /// Prints warnings if the board is too slow for a pattern.
    private func remarkOnSchedule(of pattern: PatternFile, on welcome: Welcome) throws {
        let memory = Int(welcome.eventMemory)
        let problems = try ScheduleCheck.problems(
            of: pattern.bytes, tick: pattern.tick,
            on: ScheduleCheck.Board(eventMemory: memory))
        for problem in problems { output.remark("\(pattern.name): warning: \(problem)") }
    }
}
