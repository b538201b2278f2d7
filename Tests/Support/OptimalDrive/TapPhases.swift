// TapPhases: the part of a tap's history that determines the error of the tap.

/// The phases of a tap, which make it possible to calculate the error of the tap as a sum over
/// time.
///
/// If the peak of a tap is too weak, the error of the tap is the smallest shortfall in the window.
/// The drive may therefore choose the millisecond whose level counts. Before this millisecond, the
/// tap is open; afterwards, the tap is done. If the peak is too strong, the error of the tap is the
/// greatest excess so far. A few phases represent different excesses, and costs are interpolated
/// between these phases. This interpolation is accurate enough, because the costs are nearly
/// proportional to the excess.
struct TapPhases {
    /// The phase in which no millisecond has been chosen and no level has exceeded the desired
    /// peak.
    static let open = 0
    /// The phase in which a millisecond has been chosen and no level has exceeded the desired peak.
    static let done = 1

    /// The excess of each phase, starting with ``done``, in steps.
    let excesses: [Float]
    /// The number of phases.
    var count: Int { excesses.count + 1 }

    /// Creates the phases of a tap.
    ///
    /// - Parameters:
    ///   - wanted: the desired peak, in steps.
    ///   - greatest: the maximum level of the actuator, in steps.
    init(wanted: Float, greatest: Float) {
        var excesses: [Float] = [0]
        for excess: Float in [0.5, 1, 2, 4, 8, 20] where excesses.last! < greatest - wanted {
            excesses.append(excess)
        }
        self.excesses = excesses
    }

    /// Returns the phase below the given excess, and the distance from this phase as a fraction of
    /// the distance to the next phase.
    func phase(of excess: Float) -> (index: Int, part: Float) {
        var lower = 0
        while lower + 2 < excesses.count, excesses[lower + 1] <= excess { lower += 1 }
        guard lower + 1 < excesses.count else { return (Self.done, 0) }
        let width = excesses[lower + 1] - excesses[lower]
        return (Self.done + lower, min((excess - excesses[lower]) / width, 1))
    }
}
