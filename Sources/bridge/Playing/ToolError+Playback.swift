// What ended a playback, once the board has been asked.

import BridgeLink
import HapticBridge

extension ToolError {
    /// The error of a playback, with what is known of the actuator's trouble; any other error as it is.
    static func explaining(_ error: any Error, at board: HapticBoard) -> any Error {
        func explained(_ explanation: () throws -> ToolError) -> any Error {
            (try? explanation()) ?? error
        }
        switch error as? PlaybackError {
        case .actuatorNotReady(let index, .unconfigured)?:
            return ToolError(unconfigured: index, at: board.path)
        case .actuatorNotReady(let index, .fault)?:
            return explained { ToolError(undrivable: index, of: board, try board.status().faults) }
        case let trouble? where trouble.isActuatorTrouble:
            return explained { try ToolError(endedBy: board) }
        default: return error
        }
    }

    /// Creates an error for a playback that the board has ended by itself, because of the latched
    /// faults.
    fileprivate init(endedBy board: HapticBoard) throws {
        let culprits = try board.actuators().filter { $0.state == .fault }
        let reason = culprits.map { ": actuator \($0.actuator) has a fault" }.first ?? ""
        self.init(
            "\(board.path): the board ended the playback and is at rest\(reason)",
            try board.status().faults, of: board)
    }
}

extension PlaybackError {
    /// Whether the board gave up on the actuator, which closes the stream at any moment.
    fileprivate var isActuatorTrouble: Bool {
        switch self {
        case .closedByDevice: true
        case .rejected(let reject): reject.code == .fault
        default: false
        }
    }
}
