// The errors of a playback and of an engine, with what the board says of the reason.

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
    /// faults. Throws what keeps the board from being asked.
    init(endedBy board: HapticBoard) throws {
        let culprits = try board.actuators().filter { $0.state == .fault }
        let reason = culprits.map { ": actuator \($0.actuator) has a fault" }.first ?? ""
        self.init(
            "\(board.path): the board ended the playback and is at rest\(reason)",
            try board.status().faults, of: board)
    }

    /// Creates an error for a playback during which the dead-man of the board tripped.
    init(deadManOf board: HapticBoard) {
        self.init(
            "\(board.path): the board brought everything to rest while the pattern played "
                + "(dead-man), so that a part of it was not felt", .deadMan, of: board)
    }
}

extension ToolError {
    /// Creates an error that explains an error of an engine to the user.
    init(_ error: HapticError, at port: String?) {
        let status: ExitStatus =
            switch error.code {
            case .notSupported: .noBoard
            case .serverInitFailed, .engineStartTimeout, .operationNotPermitted: .busy
            default: .inputOutput
            }
        // The error of a port names it already.
        let place = port.map { error.message.hasPrefix("\($0): ") ? "" : "\($0): " } ?? ""
        self.init(status, place + error.message)
    }
}

extension Faults {
    /// The faults of a driver or an actuator that end a playback.
    static let ofDriver: Faults = [
        .noChip, .wrongChip, .readBack, .chipReset, .overTemperature, .overCurrent, .rest,
    ]
}

extension PlaybackError {
    /// True if the board gave up on the actuator, which closes the stream at any moment.
    fileprivate var isActuatorTrouble: Bool {
        switch self {
        case .closedByDevice: true
        case .rejected(let reject): reject.code == .fault
        default: false
        }
    }
}
