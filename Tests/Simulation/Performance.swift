// Performance: the playback of a score as the referee records it.

import BridgeLink
import CBridgeProtocol
import TestSupport
import VirtualBoard

/// The playback of a score, in true time.
struct Performance {
    let score: Score
    /// The time from which the board executes its session or its stream.
    var begun: Microseconds
    /// The time of tick 0 and its uncertainty; nil until it is known.
    var origin: (time: Double, bound: Double)?
    /// The latest time at which the board may play the score.
    var over: Microseconds = .max
}

extension Performance {
    /// Returns true if the level belongs to an event that is due by `time` and is not later than
    /// permitted.
    func plays(
        _ level: UInt8, at time: Double, late: Double, slack: Double
    ) -> Bool {
        guard let origin else { return false }
        let tolerance = origin.bound + slack
        let place = time - origin.time
        return score.has(
            level, dueIn: place - tolerance - 2 * late...place + tolerance + Referee.late)
    }
}
