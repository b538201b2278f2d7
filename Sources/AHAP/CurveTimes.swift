// The two readings of a control point's time, and how to tell which one a file means.

/// From where the control points of a parameter curve count their times.
///
/// Core Haptics counts from the curve's own `Time` (AHAP-doc). Several exporters wrote times from
/// the start of the pattern instead; on an iPhone such curves arrive late.
public enum CurveTimes: String, Sendable, CaseIterable {
    /// From the curve's `Time`, as Core Haptics does, whatever the file looks like. The default.
    case relative
    /// From the start of the pattern, in every curve that does not start at 0.
    case absolute
    /// `absolute` where the file as a whole shows it, which is reported as a repair; otherwise
    /// `relative`. The default of the `bridge` tool.
    case automatic

    /// How many curves must show absolute times before `automatic` believes it.
    ///
    /// Our choice: one curve whose first point happens to lie as far from its start as its start
    /// lies from the pattern's may mean either; two, and none that says otherwise, do not happen
    /// by accident.
    static let evidence = 2
}

/// The curves of a document in microseconds, before it is settled from where their points count.
struct RawCurve {
    let id: DynamicParameterID
    let time: Microseconds
    let points: [HapticParameterCurve.Point]
    let place: SourcePlace?

    /// The greatest distance that still counts as the same time. Covers rounding, nothing else.
    private static let tolerance: Microseconds = 1

    /// Whether the curve starts at 0, where both readings are the same.
    var isAmbiguous: Bool { time == 0 }

    /// Whether the first point stands at the curve's own time, as in an absolute reading.
    var looksAbsolute: Bool {
        !isAmbiguous && abs((points.first?.time ?? 0) - time) <= Self.tolerance
    }

    /// The curve with its points counted from its own time.
    func curve(readAs absolute: Bool) -> HapticParameterCurve {
        let start = absolute && !isAmbiguous ? points.first?.time ?? time : time
        let shift = absolute && !isAmbiguous ? start : 0
        return HapticParameterCurve(
            id, time: start,
            points: points.map { .init(time: $0.time - shift, value: $0.value) }, place: place)
    }
}

extension CurveTimes {
    /// Settles the reading for all curves of a file, and reports it where it matters.
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
                    .absoluteCurveTimes, at: first.place,
                    "times of control points are read from the start of the pattern, as asked",
                    advice: "write them from the Time of their curve, as Core Haptics reads them",
                    fix: .relativeTimes)
            }
            return true
        case .automatic where absolute.count >= Self.evidence && absolute.count == telling.count:
            try report.repair(
                .absoluteCurveTimes, .invalidTime, at: absolute[0].place,
                "control points of \(count) count from the start of the pattern, and are read so",
                advice: "write them from the Time of their curve; on an iPhone they come late",
                fix: .relativeTimes)
            return true
        default:
            if let first = absolute.first {
                report.note(
                    .absoluteLookingCurveTimes, at: first.place,
                    "the first point of \(count) stands as late as its curve; read as Apple does",
                    advice: "if times from the start of the pattern are meant, say so when reading")
            }
            return false
        }
    }
}
