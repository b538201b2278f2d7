// bridge explain: explains how each event of a pattern is rendered, and why.

import AHAP
import ArgumentParser
import BridgeLink
import DRV2605
import HapticBridge
import HapticCompiler
import HapticPatterns
import JSONText
import ToolSupport

struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Explain whether each event is rendered, approximated or lost, and why.",
        discussion: """
            Without a board or a profile, the pattern is rendered for a coin LRA and for a coin \
            ERM. If --port selects a board, or --profile board is given for the only board that \
            answers, the pattern is rendered for the actuator of the board. The actuators do not \
            move.

            The columns LRA and ERM show the difference between the peak that a model of the \
            actuator reaches and the requested peak, in just-noticeable differences (JND; 1 JND is \
            20 % of a level). The last lines show the difference between the event stream and the \
            file, and between the vibrations that the stream and the file produce. Each difference \
            is in the unit of its quantity and in JND (24 ms, 20 % of a level, 18 % of a \
            frequency). A difference of less than 1 JND is not noticeable.

            Examples:
              bridge explain pattern.ahap
              bridge explain --profile erm --json pattern.ahap
              bridge explain --profile board pattern.ahap
            """)

    @Argument(help: "AHAP files, names from `bridge patterns`, or - for standard input.")
    var files: [String]

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Reading options") var reading: ReadingOptions
    @OptionGroup(title: "Compiling options") var compiling: CompilingOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func run() throws {
        let target = try RenderingTarget(compiling, board)
        for path in files {
            let file = try PatternFile(
                path, reading, for: target.profile, options: compiling.compiler)
            guard let pattern = file.pattern, let report = file.report else {
                throw ToolError(
                    .badData, "\(path): a compiled file does not contain the pattern",
                    advice: "use the AHAP file; `bridge dump` shows a compiled file")
            }
            let sounds = file.soundDiagnostics(reading)
            if reading.strict, let first = sounds.first {
                throw ToolError(first.diagnostic, in: file.name)
            }
            let isExact = target.profile.plant == nil
            let explanation = Explanation(
                file: file, pattern: pattern, report: report,
                unplayableSounds: Dictionary(
                    uniqueKeysWithValues: sounds.map { ($0.event, $0.diagnostic) }),
                fidelity: isExact
                    ? Fidelity(
                        of: file.events, against: pattern, options: compiling.compiler,
                        band: target.profile.band)
                    : nil,
                felt: try felt(file, pattern, on: target.models), profile: target.name)
            file.remarkRepairs(output)
            for sound in sounds { output.remark(sound.diagnostic.line(file: file.name)) }
            try output.result(explanation.json, text: explanation.text)
        }
    }

    private func felt(
        _ file: PatternFile, _ pattern: HapticPattern, on models: [RenderingTarget.Model]
    ) throws -> [FeltFidelity] {
        try ActuatorTraces.all(
            of: file, on: models, options: compiling.compiler, isQuiet: output.quiet
        ).map { file, traces in
            FeltFidelity(
                traces.felt, of: file, pattern, on: traces.configuration,
                options: compiling.compiler)
        }
    }
}

/// The complete explanation of one file.
private struct Explanation {
    let file: PatternFile
    let pattern: HapticPattern
    let report: LoweringReport
    /// The diagnostics of the sounds that cannot be played, by the index of their event.
    let unplayableSounds: [Int: Diagnostic]
    /// The difference between the stream and the file; nil for a stream that was planned for an
    /// actuator.
    let fidelity: Fidelity?
    let felt: [FeltFidelity]
    let profile: String

    /// The number of sounds that are played.
    private var heard: Int { report.audioEvents - unplayableSounds.count }

    /// Returns the verdict on an event: `rendered`, `degraded` or `not played`, or `heard` for a
    /// sound that is played.
    private func verdict(at index: Int, _ items: [LoweringReport.Item]) -> String {
        guard pattern.events[index].type.isHaptic else {
            return unplayableSounds[index] == nil ? "heard" : "not played"
        }
        if items.contains(where: \.rule.isNotPlayed) { return "not played" }
        return items.isEmpty ? "rendered" : "degraded"
    }

    // MARK: Text

    var text: String {
        let findings = Dictionary(grouping: report.items, by: \.event)
        var table = Table(["time s", "event", "verdict"] + felt.map(\.name) + ["why"])
        for (index, event) in pattern.events.enumerated() {
            let items = findings[index] ?? []
            let why =
                items.map { "\($0.message) [\($0.rule.rawValue)]" }
                + [unplayableSounds[index]].compactMap { $0?.message }
                + felt.compactMap { $0.remark(onEvent: index, of: pattern) }
            let time = (Double(event.time) / 1e6).text(decimals: 3)
            var row: [String] = [time, event.type.rawValue, verdict(at: index, items)]
            row += felt.map { $0.events[index]?.jnd.text(decimals: 1) ?? "-" }
            row.append(why.joined(separator: "; "))
            table.append(row)
        }
        return
            ([
                "\(file.name)\(file.isNamed ? ", a named pattern" : ""), profile \(profile)"
                    + (profile == DeviceProfile.reference.name
                        ? " (as designed, without an actuator)" : ""),
                table.text,
                "\(report.exact) rendered, \(report.degraded) degraded, \(report.notPlayed) not played"
                    + (heard > 0 ? ", \(heard) played by this computer in sync" : "")
                    + (unplayableSounds.isEmpty
                        ? "" : ", \(unplayableSounds.count.text("sound")) not played"),
            ] + fidelityLines + felt.map(\.text)).joined(separator: "\n")
    }

    private var fidelityLines: [String] {
        guard let fidelity else { return [] }
        let sharpness =
            if let error = fidelity.sharpness, let jnd = fidelity.sharpnessJND {
                "within \(percent(error)) of its range, \(noticed(jnd, decimals: 2))"
            } else {
                "none is sent"
            }
        let taps =
            fidelity.lostTaps + fidelity.addedTaps == 0
            ? [] : ["taps: \(fidelity.lostTaps) lost, \(fidelity.addedTaps) added"]
        return taps + [
            "in time: within \(Double(fidelity.onset) / 1_000) ms, "
                + noticed(fidelity.onsetInJND, decimals: 3),
            "in level: within \(percent(fidelity.level)) of full level, "
                + noticed(fidelity.levelJND, decimals: 2),
            "in sharpness: \(sharpness)",
        ]
    }

    /// Returns a difference between values in the range 0 to 255 as a percentage of this range.
    private func percent(_ difference: Double) -> String {
        "\((difference / 2.55).text(decimals: 2)) %"
    }

    private func noticed(_ jnd: Double, decimals: Int) -> String {
        "\(jnd.text(decimals: decimals)) JND"
    }

    // MARK: JSON

    var json: JSONValue {
        let findings = Dictionary(grouping: report.items, by: \.event)
        let events: [JSONValue] = pattern.events.enumerated().map { index, event in
            let items = findings[index] ?? []
            return [
                "time_us": .number(event.time), "event": .string(event.type.rawValue),
                "line": .number(event.location?.line), "column": .number(event.location?.column),
                "verdict": .name(verdict(at: index, items)),
                "why": .array(items.map(\.json) + why(soundAt: index, event)),
                "felt": .array(felt.map { $0.json(ofEvent: index) }),
            ]
        }
        return [
            "schema": "bridge.explain/1",
            "file": .string(file.name), "profile": .string(profile),
            "events": .array(events),
            "exact": .number(report.exact), "degraded": .number(report.degraded),
            "not_played": .number(report.notPlayed), "heard": .number(heard),
            "lost_taps": .number(fidelity?.lostTaps), "added_taps": .number(fidelity?.addedTaps),
            "onset_error_us": .number(fidelity?.onset),
            "onset_error_jnd": thousandths(fidelity?.onsetInJND),
            "level_error": thousandths(fidelity?.level),
            "level_error_jnd": thousandths(fidelity?.levelJND),
            "sharpness_error": thousandths(fidelity?.sharpness),
            "sharpness_error_jnd": thousandths(fidelity?.sharpnessJND),
            "felt": .array(felt.map(\.json)),
        ]
    }

    /// Returns the reason why a sound cannot be played, in the same form as the reason for a haptic
    /// event; an empty array if the sound can be played.
    private func why(soundAt index: Int, _ event: HapticEvent) -> [JSONValue] {
        guard let sound = unplayableSounds[index] else { return [] }
        let reason: JSONValue = [
            "rule": .string(sound.rule.rawValue), "event": .number(index),
            "time_us": .number(event.time), "line": .number(sound.location?.line),
            "column": .number(sound.location?.column), "message": .string(sound.message),
        ]
        return [reason]
    }

    private func thousandths(_ value: Double?) -> JSONValue {
        value.map { .thousandths(Int($0 * 1_000)) } ?? nil
    }
}
