// CurveTimes: the two interpretations of a control point's time, and how to tell which one a file
// uses.

import HapticPatterns
import JSONText

/// The reference from which the control points of a parameter curve count their times.
///
/// Core Haptics counts from the curve's own `Time` (AHAP-doc). Several exporters wrote times from
/// the start of the pattern instead. On an iPhone such curves are late.
public enum CurveTimes: String, Sendable, CaseIterable {
    /// The `Time` of the curve, as in Core Haptics, whatever the file looks like. The default.
    case relative
    /// The start of the pattern, for every curve that does not start at 0.
    case absolute
    /// The start of the pattern if the file as a whole shows that it is meant, which is reported as
    /// a repair; otherwise the `Time` of the curve. The default of the `bridge` tool.
    case automatic

    /// The number of curves that must show absolute times before `automatic` assumes them.
    ///
    /// Our choice. A single curve may be ambiguous by coincidence, if its first point is as far
    /// from the curve's start as that start is from the pattern's. Two such curves, with none that
    /// contradicts them, are not a coincidence.
    static let evidence = 2
}

/// A curve of a document in microseconds, before it is decided from where its points count.
struct RawCurve {
    let id: DynamicParameterID
    let time: Microseconds
    let points: [HapticParameterCurve.Point]
    let location: SourceLocation?

    /// The greatest difference at which two times still count as equal. Covers rounding only.
    private static let tolerance: Microseconds = 1

    /// True if the curve starts at 0, where both interpretations are the same.
    var isAmbiguous: Bool { time == 0 }

    /// True if the time of the first point equals the curve's own time, as it does when times are
    /// absolute.
    var looksAbsolute: Bool {
        !isAmbiguous && abs((points.first?.time ?? 0) - time) <= Self.tolerance
    }

    /// Returns the curve with the times of its points relative to the curve's own time.
    func curve(readAs absolute: Bool) -> HapticParameterCurve {
        let start = absolute && !isAmbiguous ? points.first?.time ?? time : time
        let shift = absolute && !isAmbiguous ? start : 0
        return HapticParameterCurve(
            id, time: start,
            points: points.map { .init(time: $0.time - shift, value: $0.value) }, location: location
        )
    }
}

extension CurveTimes {
    /// Chooses one interpretation for all curves of a file, and reports the choice where it
    /// matters.
    func curves(
        from raw: [RawCurve], report: inout Report
    ) throws(AHAPError) -> [HapticParameterCurve] {
        let isAbsolute = try isAbsolute(raw, report: &report)
        return raw.map { $0.curve(readAs: isAbsolute) }
    }

    private func isAbsolute(_ curves: [RawCurve], report: inout Report) throws(AHAPError) -> Bool {
        let telling = curves.filter { !$0.isAmbiguous }
        let absolute = telling.filter(\.looksAbsolute)
        let count = "\(absolute.count) of \(telling.count) curves after time 0"
        switch self {
        case .absolute:
            if let first = telling.first {
                report.note(
                    .absoluteCurveTimes, at: first.location,
                    "times of control points count from the start of the pattern, as requested",
                    advice: "write them from the Time of their curve, as Core Haptics reads them",
                    fix: .relativeTimes)
            }
            return true
        case .automatic where absolute.count >= Self.evidence && absolute.count == telling.count:
            try report.repair(
                .absoluteCurveTimes, .invalidTime, at: absolute[0].location,
                "control points of \(count) count from the start of the pattern and are read that way",
                advice: "write them from the Time of their curve; on an iPhone they are late",
                fix: .relativeTimes)
            return true
        default:
            if let first = absolute.first {
                report.note(
                    .absoluteLookingCurveTimes, at: first.location,
                    "the first point of \(count) is as late as its curve; read as Apple does",
                    advice:
                        "if the times count from the start of the pattern, choose that when reading"
                )
            }
            return false
        }
    }
}
