// EngineRequest: the requests to a board's thread.

import BridgeLink
import Foundation
import Logging
import SerialPorts

/// A request to the board's thread, from any other thread.
package enum EngineRequest: Sendable {
    case perform(PlayerCommand, PlayerID)
    case mute(Bool)
    /// Logs the frames of the board; nil ends the logging.
    case log(Logger?)
    /// Sets the time without playback after which the engine is reported as idle; nil disables the
    /// report.
    case shutDown(afterIdle: Microseconds?)
    /// Continues after a reset of the board.
    case restart
    /// Transfers bytes of a virtual session with the board (SPEC 2).
    case frames(Data)
    /// Brings the engine's actuators to rest and ends the engine.
    case stop
}
