// AcceptanceReport: the results of an acceptance test (schema bridge.accept/1).

import BridgeLink
import DRV2605
import JSONText

/// The results of an acceptance test. The results contain no serial number, no board id, and no
/// name of the computer or of its user.
public struct AcceptanceReport: Equatable, Sendable {
    package static let schema = "bridge.accept/1"

    /// The version of the program that tested the board.
    package var program: String
    package var board: Board
    /// The results of the steps that have been carried out, in the order of the test.
    public package(set) var steps: [Step]

    /// The board that was tested.
    package struct Board: Equatable, Sendable {
        /// The code of the board's kind (SPEC 4.2).
        package var kind: UInt8
        /// The name of the board's kind.
        package var name: String
        /// The version of the board's firmware.
        package var firmware: String
        /// The vendor id and the product id of the board's USB port; nil if the board has no USB
        /// port.
        package var usb: String?
        /// The DEVICE_ID of the chip of each actuator.
        package var chips: [UInt8]
        /// The configuration of each actuator (SPEC 8); nil for an actuator that is not configured.
        package var configurations: [ActuatorConfiguration?]

        package init(
            kind: UInt8, name: String, firmware: String, usb: String?, chips: [UInt8],
            configurations: [ActuatorConfiguration?]
        ) {
            (self.kind, self.name, self.firmware, self.usb) = (kind, name, firmware, usb)
            (self.chips, self.configurations) = (chips, configurations)
        }
    }

    /// The results of a step.
    public struct Step: Equatable, Sendable {
        package var step: AcceptanceStep
        /// The duration of the step, in seconds.
        package var seconds: Double
        package var checks: [AcceptanceCheck]
        /// The frames that were sent and received over the link during the step.
        package var frames: [LoggedFrame]
        /// The levels on the wires; nil if no logic analyzer recorded them.
        package var levels: [CapturedLevel]?

        package init(
            step: AcceptanceStep, seconds: Double, checks: [AcceptanceCheck], frames: [LoggedFrame]
        ) {
            (self.step, self.seconds, self.checks, self.frames) = (step, seconds, checks, frames)
        }

        /// The worst verdict of the checks; skipped if there are no checks.
        package var verdict: AcceptanceCheck.Verdict { checks.map(\.verdict).max() ?? .skipped }
    }

    package init(program: String, board: Board, steps: [Step] = []) {
        (self.program, self.board, self.steps) = (program, board, steps)
    }

    /// The worst verdict of all steps; interrupted if no step has been carried out.
    package var verdict: AcceptanceCheck.Verdict { steps.map(\.verdict).max() ?? .interrupted }

    /// Adds the result of a step, and replaces any earlier result of the same step. The result of
    /// an interrupted run does not replace the result of a complete run.
    package mutating func record(_ result: Step) {
        guard result.verdict != .interrupted || ended(result.step) == nil else { return }
        steps.removeAll { $0.step == result.step }
        steps.append(result)
        let order = AcceptanceStep.allCases
        steps.sort { order.firstIndex(of: $0.step)! < order.firstIndex(of: $1.step)! }
    }

    /// Returns the result of a step; nil if the step has not ended.
    package func ended(_ step: AcceptanceStep) -> Step? {
        steps.first { $0.step == step && $0.verdict != .interrupted }
    }

    /// Returns whether a step has passed. The next run of `bridge accept` carries out every step
    /// that has not passed.
    package func hasPassed(_ step: AcceptanceStep) -> Bool {
        steps.contains { $0.step == step && $0.verdict == .passed }
    }

    /// The lines of the report as a page of text.
    public var lines: [String] {
        let chips = board.chips.map(HapticChip.name(ofDeviceID:)).joined(separator: ", ")
        var lines = ["\(board.name), firmware \(board.firmware), chips \(chips)"]
        for step in steps {
            lines += ["", "\(step.step): \(step.verdict), \(step.seconds.text(decimals: 1)) s"]
            lines += step.checks.flatMap(\.lines)
        }
        let missing = AcceptanceStep.usual.filter { step in !steps.contains { $0.step == step } }
            .map(\.rawValue)
        lines += ["", "verdict: \(verdict)"]
        if !missing.isEmpty { lines.append("not carried out: \(missing.joined(separator: ", "))") }
        if steps.allSatisfy({ $0.levels == nil }) {
            lines.append("no logic analyzer has recorded the levels on the wires")
        }
        return lines
    }
}
