// bridge actuator lock: locks limits that the board enforces against every program.

import ArgumentParser
import BridgeLink
import HapticBridge
import HapticCompiler
import JSONText
import SerialPorts
import ToolSupport

extension Actuator {
    struct Lock: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lock the limits of the current configuration on the board.",
            discussion: """
                After the lock, the board refuses configurations with another kind, loop or \
                resonance, or with higher limits, from every program. The limits are the voltages, \
                the level allowed indefinitely, and the time at full level. The board accepts \
                lower limits, which can be locked in turn. Of the results of calibrations, it \
                accepts only its own. The lock survives a loss of power. No program can remove the \
                lock. To remove it from an Uno or Nano, connect D2 to GND and reset the board.

                Examples:
                  bridge actuator lock
                  bridge actuator lock --actuator 1 --yes
                """)

        @OptionGroup var chosen: ActuatorOptions

        @Flag(help: "Do not ask for confirmation.")
        var yes = false

        @OptionGroup(title: "Board options") var board: BoardOptions
        @OptionGroup(title: "Output options") var output: OutputOptions

        func run() throws {
            guard yes || Terminal.standardInput.isTerminal else {
                throw ToolError(
                    .usage,
                    "locking limits is permanent and needs a confirmation, but standard input is not a terminal",
                    advice: "use --yes to lock the limits without confirmation")
            }
            try board.withBoard { board in
                let facts = try ActuatorFacts(status: chosen.drivable(on: board), on: board)
                guard board.welcome.features.contains(.storage) else {
                    throw ToolError(noMemoryAt: board.path)
                }
                output.remark("\(board.path): actuator \(chosen.actuator)\n\(facts.limits.text)")
                output.remark("Afterwards, \(LimitLock.undoing(on: board.welcome.kind)).")
                guard yes || Terminal.confirms("Lock these limits?") else {
                    throw ToolError(.interrupted, "\(board.path): nothing was locked")
                }
                try lock(board)
            }
        }
    }
}

extension Actuator.Lock {
    private func lock(_ board: HapticBoard) throws {
        let status = try locked(board)
        guard status.isLocked else {
            throw ToolError(
                .inputOutput,
                "\(board.path): actuator \(chosen.actuator): the board accepted the lock but does not "
                    + "report it",
                advice: "try again; `bridge info` shows whether limits are locked")
        }
        let facts = try ActuatorFacts(status: status, on: board)
        try output.result(
            [
                "schema": "bridge.lock/1", "board": .string(board.path), "actuator": facts.json,
            ],
            text: "\(board.path): actuator \(chosen.actuator): its limits are locked")
    }

    private func locked(_ board: HapticBoard) throws -> ActuatorStatus {
        do {
            return try board.lock(chosen.actuator)
        } catch RequestError.rejected(let reject) where reject.code == .unknownMessage {
            throw ToolError(
                .protocolMismatch, "\(board.path): its firmware does not support locks",
                advice: board.welcome.kind.flashCommand(port: board.path))
        }
    }
}

/// Explains why a board with locked limits refuses a configuration.
enum LimitLock {
    /// The actuator kind that a board reports for a lock that it can no longer read (SPEC 8.6).
    private static let damaged: UInt16 = 127

    /// Returns the instruction for removing a lock, as text that completes a sentence.
    static func undoing(on kind: BoardKind) -> String {
        "a lock can only be removed by hand: \(kind.jumperAdvice) and reset the board, which "
            + "erases the locks of all its actuators"
    }

    /// Returns the reason why a locked board has refused a configuration; nil if the lock was not
    /// the reason.
    ///
    /// - Parameter configuration: the refused configuration.
    static func reason(
        of reject: Reject, for configuration: ActuatorConfiguration
    ) -> String? {
        let limit = UInt16(clamping: reject.limit)
        switch (reject.code, reject.offset) {
        case (.range, 1) where limit == damaged:
            return "the lock in the board's memory is damaged, and the board accepts no actuator"
        case (.range, 1):
            let loop = limit & 0x80 == 0 ? "a closed" : "an open"
            return "the kind is \(ActuatorKind(rawValue: UInt8(limit & 0x7F))), in \(loop) loop"
        case (.range, 3), (.limit, 3): return "the resonance is \(Double(limit) / 10) Hz"
        case (.limit, 5): return "rated is at most \(ActuatorFacts.volts(limit))"
        case (.limit, 7): return "overdrive is at most \(ActuatorFacts.volts(limit))"
        case (.limit, 34):
            let budget = EnergyBudget(sustained: UInt8(clamping: limit), milliseconds: 0)
            return "the level allowed indefinitely is at most \(budget.sustainedPercent) %"
        case (.limit, 35):
            let budget = EnergyBudget(sustained: configuration.sustained, milliseconds: limit)
            return "full level is allowed for at most \((budget.fullTime ?? 0).secondsText)"
        default: return nil
        }
    }
}
