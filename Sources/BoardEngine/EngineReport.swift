// EngineReport: the reports from a board's thread to an engine.

import BridgeLink
import Foundation
import HapticBoards
import Logging
import SerialPorts

/// A report from the board's thread. Reports arrive in order.
package enum EngineReport: Sendable {
    /// The board has answered. The value is the location of the board.
    case connected(BoardEndpoint)
    /// No other program can use the board while this program uses it. The value is the reason.
    case unshared(String)
    /// The engine has started, and its requests are now carried out. The value describes the board
    /// and is nil for a preview.
    case started(StartedBoard?)
    /// There is no board, or the board cannot play. The engine has ended.
    case failed(HapticError)
    /// The given players have ended.
    case finished([PlayerID])
    /// The board was reset and has begun a new session, which waits for `restart`.
    case reset
    /// The connection to the board was lost. The engine has ended.
    case lost(HapticError)
    /// The program was suspended for so long that its players were discarded. The engine has ended.
    case suspended(HapticError)
    /// The latest statistics.
    case measured(EngineStatistics)
    /// The board has counted new faults. The value contains all latched faults.
    case faults(Faults)
    /// Nothing has played for the requested time, so the engine may be stopped.
    case idle
    /// The board has answered a survey, and the survey has ended. A survey requires no engine.
    case surveyed([ActuatorStatus])
    /// Bytes of a virtual session with the board (SPEC 2), for the mailbox of a relay.
    case frames(Data)
    /// The engine has ended because a stop was requested.
    case stopped
}

/// A board on which an engine has started.
package struct StartedBoard: Sendable, Equatable {
    /// The WELCOME message from the board.
    package let welcome: Welcome
    /// All actuators of the board that report their status, in the order of their numbers.
    package let actuators: [ActuatorStatus]
    /// The known configurations of the actuators on which the engine plays, in the order of their
    /// numbers.
    package let configurations: [ActuatorConfiguration]
    /// The accelerometer that the board has found; nil if its firmware does not support
    /// accelerometers.
    package let sensor: SensorKind?

    package init(
        _ welcome: Welcome, _ actuators: [ActuatorStatus],
        _ configurations: [ActuatorConfiguration], sensor: SensorKind?
    ) {
        (self.welcome, self.actuators, self.configurations) = (welcome, actuators, configurations)
        self.sensor = sensor
    }
}

extension EngineReport {
    /// True if this is the last report.
    package var isLast: Bool {
        switch self {
        case .failed, .lost, .suspended, .surveyed, .stopped: true
        default: false
        }
    }
}
