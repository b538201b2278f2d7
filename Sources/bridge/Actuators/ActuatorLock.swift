// bridge actuator lock: the limits of an actuator, kept by the board against every program.

import AHAP
import ArgumentParser
import BridgeLink
import HapticBridge
import HapticCompiler

extension Actuator {
    struct Lock: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Have a board refuse any configuration beyond the one that it has.",
            discussion: """
                From then on the board refuses, from every program, an actuator of another kind and \
                higher voltages, a higher level without end and a longer full level than it has now; \
                lower ones it takes, and may be locked at them again. It keeps the lock without power. \
                Nothing that this or any other program sends undoes it: connect D2 to GND on the Uno \
                or Nano, and reset the board.

                Examples:
                  bridge actuator lock
                  bridge actuator lock --actuator 1 --yes
                """)

        @OptionGroup var chosen: ActuatorOptions

        @Flag(help: "Do not ask.")
        var yes = false

        @OptionGroup(title: "Board options") var board: BoardOptions
        @OptionGroup(title: "Output options") var output: OutputOptions

        func run() throws {
            guard yes || Terminal.standardInput.isTerminal else {
                throw ToolError(
                    .usage,
                    "limits are locked for good, and there is nobody to ask whether they are",
                    advice: "--yes locks them without asking")
            }
            try board.withBoard { board in
                let facts = try ActuatorFacts(status: chosen.drivable(on: board), on: board)
                guard board.welcome.features.contains(.storage) else {
                    throw ToolError(noMemoryAt: board.path)
                }
                output.remark("\(board.path): actuator \(chosen.actuator)\n\(facts.limits.text)")
                output.remark("Once locked, \(LimitLock.undoing).")
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
                "\(board.path): actuator \(chosen.actuator): the board took the lock, but does not "
                    + "say that it has it",
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
                .protocolMismatch, "\(board.path): its firmware knows no locks",
                advice: "bridge flash --board uno --port \(board.path) (or nano, nano-old)")
        }
    }
}

/// What a board with locked limits refuses, in words.
enum LimitLock {
    /// How a lock is undone; the end of a sentence.
    static let undoing =
        "only by hand is that undone: connect D2 to GND (Uno, Nano) and reset the board, which "
        + "erases the locks of all its actuators"

    /// Why a locked board has refused a configuration; nil if it was not for its lock.
    ///
    /// - Parameter configuration: what was refused.
    static func reason(
        of reject: Reject, for configuration: ActuatorConfiguration
    ) -> String? {
        let limit = UInt16(clamping: reject.limit)
        switch (reject.code, reject.offset) {
        case (.range, 1): return "the kind is \(ActuatorKind(rawValue: UInt8(clamping: limit)))"
        case (.limit, 5): return "rated is at most \(ActuatorFacts.volts(limit))"
        case (.limit, 7): return "overdrive is at most \(ActuatorFacts.volts(limit))"
        case (.limit, 34):
            let budget = EnergyBudget(sustained: UInt8(clamping: limit), milliseconds: 0)
            return "what it stands without end is at most \(budget.sustainedPercent) %"
        case (.limit, 35):
            let budget = EnergyBudget(sustained: configuration.sustained, milliseconds: limit)
            return "full level is for at most \((budget.fullTime ?? 0).secondsText)"
        default: return nil
        }
    }
}
