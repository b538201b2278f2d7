// TapPhases: the part of a tap's past on which its error depends.

/// The phases of a tap, so that its error becomes a sum over time.
///
/// A peak that is too weak is the nearest miss of its window, so a drive may choose the millisecond
/// that counts: before it, the tap is open, and after it, done. A peak that is too strong is the
/// greatest excess so far. Its phases stand for a few excesses, between which costs are
/// interpolated; they grow nearly in proportion to the excess, so that little is lost.
struct TapPhases {
    /// The phase in which nothing has counted yet, at the levels up to the wanted one.
    static let open = 0
    /// The phase in which the peak has counted and was not too strong.
    static let done = 1

    /// The excess of each phase from ``done`` on, in steps.
    let excesses: [Float]
    /// The number of phases.
    var count: Int { excesses.count + 1 }

    /// Makes the phases of a tap.
    ///
    /// - Parameters:
    ///   - wanted: the wanted peak, in steps.
    ///   - greatest: the greatest level of the actuator, in steps.
    init(wanted: Float, greatest: Float) {
        var excesses: [Float] = [0]
        for excess: Float in [0.5, 1, 2, 4, 8, 20] where excesses.last! < greatest - wanted {
            excesses.append(excess)
        }
        self.excesses = excesses
    }

    /// Returns the phase below an excess, and the part of the way to the next phase.
    func phase(of excess: Float) -> (index: Int, part: Float) {
        var lower = 0
        while lower + 2 < excesses.count, excesses[lower + 1] <= excess { lower += 1 }
        guard lower + 1 < excesses.count else { return (Self.done, 0) }
        let width = excesses[lower + 1] - excesses[lower]
        return (Self.done + lower, min((excess - excesses[lower]) / width, 1))
    }
}
