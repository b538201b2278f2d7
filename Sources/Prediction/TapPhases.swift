// TapPhases: the history of a tap that its error depends on.

/// The phases of a tap, with which its error can be computed as a sum over time.
///
/// The error of a peak that is too weak is the smallest shortfall in the window. The drive may
/// therefore choose the millisecond whose level counts: before it, the tap is open, and after it,
/// done. The error of a peak that is too strong is the greatest excess so far. Phases represent a
/// few excesses, and costs are interpolated between them. This causes little inaccuracy, because
/// the costs are nearly proportional to the excess.
struct TapPhases {
    /// The phase in which no millisecond has been chosen yet and no level was above the wanted one.
    static let open = 0
    /// The phase in which the millisecond of the peak has been chosen and no level was above the
    /// wanted one.
    static let done = 1

    /// The excess of each phase from ``done`` on, in steps.
    let excesses: [Float]
    /// The number of phases.
    var count: Int { excesses.count + 1 }

    /// Makes the phases of a tap.
    ///
    /// - Parameters:
    ///   - wanted: the wanted peak, in steps.
    ///   - greatest: the maximum level of the actuator, in steps.
    init(wanted: Float, greatest: Float) {
        var excesses: [Float] = [0]
        for excess: Float in [0.5, 1, 2, 4, 8, 20] where excesses.last! < greatest - wanted {
            excesses.append(excess)
        }
        self.excesses = excesses
    }

    /// Returns the phase below an excess, and the fraction of the distance to the next phase.
    func phase(of excess: Float) -> (index: Int, part: Float) {
        var lower = 0
        while lower + 2 < excesses.count, excesses[lower + 1] <= excess { lower += 1 }
        guard lower + 1 < excesses.count else { return (Self.done, 0) }
        let width = excesses[lower + 1] - excesses[lower]
        return (Self.done + lower, min((excess - excesses[lower]) / width, 1))
    }
}
