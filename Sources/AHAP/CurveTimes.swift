// CurveTimes: the two interpretations of a control point's time, and the detection of the
// interpretation that a file uses.

import HapticPatterns
import JSONText

/// The reference of the times of the control points of a parameter curve.
///
/// In Core Haptics, the times are relative to the `Time` of the curve (AHAP-doc). Several exporters
/// wrote times relative to the start of the pattern instead. An iPhone plays such curves too late.
public enum CurveTimes: String, Sendable, CaseIterable {
    /// The `Time` of the curve, as in Core Haptics, regardless of the content of the file. The
    /// default.
    case relative
    /// The start of the pattern, for every curve that does not start at 0.
    case absolute
    /// The start of the pattern if the file as a whole indicates this reference; this is reported
    /// as a repair. Otherwise, the `Time` of the curve. The default of the `bridge` tool.
    case automatic

    /// The minimum number of curves with absolute times for `automatic` to assume absolute times.
    ///
    /// This project chose the number. In a single curve, the time of the first point may be equal
    /// to the time of the curve by coincidence. In two such curves, without a curve that
    /// contradicts them, it is not a coincidence.
    static let evidence = 2
}

/// A curve of a document in microseconds, before the reference of its points is determined.
struct RawCurve {
    let id: DynamicParameterID
    let time: Microseconds
    let points: [HapticParameterCurve.Point]
    let location: SourceLocation?

    /// The maximum difference at which two times count as equal. It allows for rounding only.
    private static let tolerance: Microseconds = 1

    /// True if the curve starts at 0, where both interpretations are identical.
    var isAmbiguous: Bool { time == 0 }

    /// True if the time of the first point is equal to the time of the curve, which indicates
    /// absolute times.
    var looksAbsolute: Bool {
        !isAmbiguous && abs((points.first?.time ?? 0) - time) <= Self.tolerance
    }

    /// Returns the curve with the times of its points relative to the time of the curve.
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
    /// Chooses one interpretation for all curves of a file, and reports the choice if the
    /// interpretations differ.
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
                advice:
                    "write them relative to the Time of their curve; an iPhone plays these curves too late",
                fix: .relativeTimes)
            return true
        default:
            if let first = absolute.first {
                report.note(
                    .absoluteLookingCurveTimes, at: first.location,
                    "in \(count), the first point has the same Time as its curve; read as in Core Haptics",
                    advice:
                        "if the times count from the start of the pattern, choose that when reading"
                )
            }
            return false
        }
    }
}
