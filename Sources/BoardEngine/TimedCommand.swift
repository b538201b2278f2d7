// TimedCommand: a command with the time at which the command is carried out.

import BridgeLink
import HapticPatterns

/// A command with the time that determines its position in the queue.
package struct TimedCommand: Sendable {
    package let player: PlayerID
    package var command: PlayerCommand

    package init(player: PlayerID, command: PlayerCommand) {
        (self.player, self.command) = (player, command)
    }

    /// The host time at which a pause or a resume is carried out. The value is 0 for every other
    /// command, because the voice itself observes the times of all other commands.
    package var due: HostTime {
        switch command {
        case .pause(let time), .resume(let time): time
        default: 0
        }
    }
}
