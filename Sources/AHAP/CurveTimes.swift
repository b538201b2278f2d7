// CurveTimes: the two possible interpretations of a control point's time, and the detection of the
// interpretation that a file uses.

import HapticPatterns
import JSONText

/// The reference point for the times of the control points of a parameter curve.
///
/// In Core Haptics, the times are relative to the `Time` of the curve (AHAP-doc). Several exporters
/// have written times relative to the start of the pattern instead. An iPhone plays such curves too
/// late.
public enum CurveTimes: String, Sendable, CaseIterable {
    /// Times are relative to the `Time` of the curve, as in Core Haptics, regardless of the content
    /// of the file. This is the default.
    case relative
    /// Times are relative to the start of the pattern, for every curve that does not start at 0.
    case absolute
    /// If the curves in the file indicate that their times are relative to the start of the
    /// pattern, the times are read as such, and a repair is reported. Otherwise, times are relative
    /// to the `Time` of the curve. This is the default setting of the `bridge` tool.
    case automatic

    /// The minimum number of curves with apparently absolute times for which `automatic` assumes
    /// absolute times.
    ///
    /// This project chose this number. In a single curve, the time of the first point may be equal
    /// to the time of the curve by coincidence. If two curves have this property and no curve
    /// contradicts them, a coincidence is unlikely.
    static let evidence = 2
}

/// A curve of a document with times in microseconds, before the reference point of its times is
/// known.
struct RawCurve {
    let id: DynamicParameterID
    let time: Microseconds
    let points: [HapticParameterCurve.Point]
    let location: SourceLocation?

    /// The maximum difference between two times that are considered equal. This difference only
    /// allows for rounding errors.
    private static let tolerance: Microseconds = 1

    /// True if the curve starts at 0, where both interpretations are identical.
    var isAmbiguous: Bool { time == 0 }

    /// True if the time of the first point is equal to the time of the curve; the times are then
    /// probably absolute.
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
    /// Chooses one interpretation for all curves of a file. If the two interpretations differ,
    /// reports the choice.
    func curves(
        from raw: [RawCurve], report: inout Report
    ) throws(AHAPError) -> [HapticParameterCurve] {
        let isAbsolute = try isAbsolute(raw, report: &report)
        return raw.map { $0.curve(readAs: isAbsolute) }
    }

    private func isAbsolute(_ curves: [RawCurve], report: inout Report) throws(AHAPError) -> Bool {
        let unambiguous = curves.filter { !$0.isAmbiguous }
        let absolute = unambiguous.filter { $0.looksAbsolute }
        let count = "\(absolute.count) of \(unambiguous.count) curves after time 0"
        switch self {
        case .absolute:
            if let first = unambiguous.first {
                report.note(
                    .absoluteCurveTimes, at: first.location,
                    "times of control points are relative to the start of "
                        + "the pattern, as requested",
                    advice: "write the times relative to the Time of their curve, "
                        + "as Core Haptics reads them",
                    fix: .relativeTimes)
            }
            return true
        case .automatic
        where absolute.count >= Self.evidence && absolute.count == unambiguous.count:
            try report.repair(
                .absoluteCurveTimes, .invalidTime, at: absolute[0].location,
                "times of control points of \(count) are read as relative to "
                    + "the start of the pattern",
                advice:
                    "write the times relative to the Time of their curve; an iPhone plays these "
                    + "curves too late",
                fix: .relativeTimes)
            return true
        default:
            if let first = absolute.first {
                report.note(
                    .absoluteLookingCurveTimes, at: first.location,
                    "in \(count), the first point has the same Time as its curve; read as in Core Haptics",
                    advice:
                        "if the times are relative to the start of the pattern, "
                        + "choose that when reading"
                )
            }
            return false
        }
    }
}
