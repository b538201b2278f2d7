// AcceptanceReport: the results of an acceptance test, as a file (schema bridge.accept/1).

import BridgeLink
import DRV2605
import Foundation
import HapticBridge
import ToolSupport

/// The results of an acceptance test. They contain no serial number, no id of the board, and no
/// name of the computer or of its user.
struct AcceptanceReport: Codable, Equatable {
    static let schema = "bridge.accept/1"

    var schema = Self.schema
    /// The version of the program that tested the board.
    var program = toolVersion
    var board: Board
    /// The results of the steps that have been carried out, in the order of the test.
    var steps: [Step] = []

    /// The board that was tested.
    struct Board: Codable, Equatable {
        /// The code of the kind of the board (SPEC 4.2).
        var kind: Int
        /// The name of the kind of the board.
        var name: String
        /// The version of its firmware.
        var firmware: String
        /// The vendor id and the product id of its USB port; nil for other ports.
        var usb: String?
        /// The DEVICE_ID of the chip of each actuator.
        var chips: [Int]
        /// The configuration of each actuator (SPEC 8), in hexadecimal; empty without a
        /// configuration.
        var configurations: [String]
    }

    /// The results of a step.
    struct Step: Codable, Equatable {
        var step: AcceptanceStep
        /// The duration of the step.
        var seconds: Double
        var checks: [AcceptanceCheck]
        /// The frames of the link; see ``LoggedFrame``.
        var frames: [String]
        /// The levels on the wires, if they were recorded; see ``BusCapture/Write``.
        var levels: [String]?

        /// The worst verdict of the checks.
        var verdict: AcceptanceCheck.Verdict { checks.map(\.verdict).max() ?? .passed }
    }

    /// The worst verdict of all steps.
    var verdict: AcceptanceCheck.Verdict { steps.map(\.verdict).max() ?? .passed }

    /// The status with which the command ends: that of the first check that has failed.
    var status: ExitStatus {
        let failed = steps.flatMap(\.checks).first { $0.verdict == .failed }
        guard let failed else { return .success }
        let status = failed.status.flatMap(ExitStatus.init(rawValue:)) ?? .success
        return status == .success ? .inputOutput : status
    }

    /// Replaces the result of a step, or adds it. An interrupted step does not replace one that has
    /// ended.
    mutating func record(_ result: Step) {
        guard result.verdict != .interrupted || ended(result.step) == nil else { return }
        steps.removeAll { $0.step == result.step }
        steps.append(result)
        let order = AcceptanceStep.allCases
        steps.sort { order.firstIndex(of: $0.step)! < order.firstIndex(of: $1.step)! }
    }

    /// Returns the result of a step; nil if the step has not ended.
    func ended(_ step: AcceptanceStep) -> Step? {
        steps.first { $0.step == step && $0.verdict != .interrupted }
    }

    /// Returns whether a step has passed. Every other step is carried out by the next call.
    func hasPassed(_ step: AcceptanceStep) -> Bool {
        steps.contains { $0.step == step && $0.verdict == .passed }
    }
}

// MARK: Files

extension AcceptanceReport {
    /// The maximum size of a report that is read, in bytes. A complete test takes about 1 MB.
    private static let sizeMax = 16 << 20

    /// Writes the report, either completely or not at all. Throws `ToolError`.
    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try OutputFile.write(Array(try encoder.encode(self)) + [UInt8(ascii: "\n")], to: path)
    }

    /// Reads a report. Throws `ToolError`, which names the member that is invalid.
    init(path: String) throws(ToolError) {
        let file = try InputFile(path)
        guard file.bytes.count <= Self.sizeMax else {
            throw ToolError(
                .badData, "\(file.name): larger than \(Self.sizeMax >> 20) MB",
                advice: "give a report of `bridge accept`")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(file.bytes))
        } catch {
            throw Self.refusal(of: file.name, error)
        }
        restrictTexts()
        guard schema == Self.schema else {
            throw ToolError(
                .badData, "\(file.name): \"schema\" must be \"\(Self.schema)\"",
                advice: "give a report of this version of `bridge accept`")
        }
    }

    /// The maximum length of a text of a report, in characters.
    private static let textMax = 300

    /// Makes each text that is printed a single line of limited length, because a report may come
    /// from a stranger.
    private mutating func restrictTexts() {
        func line(_ text: String) -> String {
            text.prefix(Self.textMax).split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        board.name = line(board.name)
        board.firmware = line(board.firmware)
        for step in steps.indices {
            for check in steps[step].checks.indices {
                var changed = steps[step].checks[check]
                changed.name = line(changed.name)
                changed.unit = changed.unit.map(line)
                changed.note = changed.note.map(line)
                changed.advice = changed.advice.map(line)
                steps[step].checks[check] = changed
            }
        }
    }

    private static func refusal(of file: String, _ error: any Error) -> ToolError {
        let context: DecodingError.Context? =
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                DecodingError.Context(
                    codingPath: context.codingPath + [key], debugDescription: "missing")
            case DecodingError.typeMismatch(_, let context),
                DecodingError.valueNotFound(_, let context),
                DecodingError.dataCorrupted(let context):
                context
            default: nil
            }
        let place = (context?.codingPath ?? []).map { key in
            key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }.joined()
        let what = place.isEmpty ? "the JSON text" : "\"\(place.drop { $0 == "." })\""
        return ToolError(
            .badData, "\(file): \(what) is invalid: \(context?.debugDescription ?? "\(error)")",
            advice: "give an unchanged report of `bridge accept`")
    }
}

// MARK: Text

extension AcceptanceReport {
    /// The report as a page of text.
    var text: String {
        var lines = [
            "\(board.name), firmware \(board.firmware), chips "
                + board.chips.map { ActuatorFacts.chipName(UInt8(clamping: $0)) }.joined(
                    separator: ", ")
        ]
        for step in steps {
            lines.append("")
            lines.append("\(step.step): \(step.verdict), \(step.seconds.text(decimals: 1)) s")
            lines += step.checks.flatMap(\.lines)
        }
        let missing = AcceptanceStep.usual.filter { ended($0) == nil }.map(\.rawValue)
        lines += ["", "verdict: \(verdict)"]
        if !missing.isEmpty { lines.append("not carried out: \(missing.joined(separator: ", "))") }
        if steps.allSatisfy({ $0.levels == nil }) {
            lines.append("no logic analyzer has recorded the levels on the wires")
        }
        return lines.joined(separator: "\n")
    }
}
