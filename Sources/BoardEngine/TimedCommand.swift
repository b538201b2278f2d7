// TimedCommand: a command with the time at which it is carried out.

import BridgeLink
import HapticPatterns

/// A command with its position in the queue.
package struct TimedCommand: Sendable {
    package let player: PlayerID
    package var command: PlayerCommand

    package init(player: PlayerID, command: PlayerCommand) {
        (self.player, self.command) = (player, command)
    }

    /// The host time at which the command is carried out. It is 0 for all commands except pause and
    /// resume, because the voice itself observes their times.
    package var due: HostTime {
        switch command {
        case .pause(let time), .resume(let time): time
        default: 0
        }
    }
}
