// ConversionReport: the losses of a conversion, as text and as JSON.

import HapticPatterns
import JSONText
import PatternFormats
import ToolSupport

/// The report on the conversion of one file.
struct ConversionReport {
    let file: String
    let output: String
    let target: String
    let source: String
    let pattern: HapticPattern
    let losses: [FormatLoss]

    /// The noticeable losses: missing parts, and differences of 1 JND or more.
    var noticeable: [FormatLoss] { losses.filter(\.isNoticeable) }

    /// The maximum difference between the converted and the original events, in JND; 0 if there is
    /// no difference.
    private var greatest: Double { losses.lazy.compactMap(\.jnd).max() ?? 0 }

    var summary: String {
        let missing = losses.count { $0.verdict == .notPlayed }
        let degraded = noticeable.count - missing
        let rest =
            missing == 0 ? "greatest difference" : "greatest difference of the remaining events"
        return "\(file) (\(source)) -> \(output) (\(target)): "
            + "\(pattern.events.count.text("event")), \(degraded) degraded, \(missing) not played"
            + (missing < pattern.events.count ? "; \(rest) \(greatest.text(decimals: 2)) JND" : "")
    }

    /// Prints the noticeable losses, and with --verbose all losses.
    func remark(_ output: OutputOptions) {
        for loss in losses {
            loss.isNoticeable
                ? output.remark(loss.line(file: file)) : output.detail(loss.line(file: file))
        }
    }

    var json: JSONValue {
        [
            "schema": "bridge.convert/1",
            "file": .string(file),
            "format": .string(source),
            "output": .string(output),
            "output_format": .string(target),
            "events": .number(pattern.events.count),
            "duration_us": .number(pattern.length),
            "jnd_max": .thousandths(Int(greatest * 1_000)),
            "losses": .array(losses.map(\.json)),
        ]
    }
}

extension FormatLoss {
    fileprivate var json: JSONValue {
        [
            "verdict": .string(verdict.rawValue),
            "event": .number(event),
            "time_us": .number(time),
            "jnd": jnd.map { .thousandths(Int($0 * 1_000)) } ?? nil,
            "line": .number(location?.sourceLocation?.line),
            "column": .number(location?.sourceLocation?.column),
            "byte": .number(location?.byteOffset),
            "message": .string(message),
        ]
    }
}
