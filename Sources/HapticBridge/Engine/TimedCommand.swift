// TimedCommand: a command and its time.

import BridgeLink
import HapticPatterns

/// A command with its position in the queue.
struct TimedCommand: Sendable {
    let player: PlayerID
    var command: PlayerCommand

    /// The host time at which the command is carried out. For commands other than pause and resume
    /// it is 0, because the voice itself observes their times.
    var due: HostTime {
        switch command {
        case .pause(let time), .resume(let time): time
        default: 0
        }
    }
}
