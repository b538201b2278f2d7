// ToolError+Playback: errors of playbacks and engines, with the causes that the board reports.

import BridgeLink
import HapticBridge

extension ToolError {
    /// Adds the cause that the board reports to the error of a playback. Returns any other error
    /// unchanged.
    package static func explaining(_ error: any Error, at board: HapticBoard) -> any Error {
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

    /// Creates an error for a playback that the board has ended because of its latched faults.
    /// Throws an error if the board cannot be queried.
    package init(endedBy board: HapticBoard) throws {
        let culprit = try board.actuators().first { $0.state == .fault }
        self.init(
            HapticError(
                try board.status().faults, of: culprit?.actuator, .playback, on: board.welcome),
            at: board.path)
    }

    /// Creates an error for a playback during which the dead-man timer of the board expired.
    package init(deadManAt port: String, on kind: BoardKind) {
        self.init(
            "\(port): the dead-man timer of the board brought all actuators to rest during "
                + "playback, so a part of the pattern was not felt", .deadMan, on: kind)
    }

    /// Creates an error for an actuator with a fault.
    package init(undrivable actuator: UInt8, of board: HapticBoard, _ faults: Faults) {
        self.init(
            HapticError(faults, of: actuator, .start, on: board.welcome), at: board.path)
    }

    /// Creates an error for faults of a board.
    ///
    /// - Parameter what: the beginning of the sentence, which contains the location and the failed
    ///   action.
    package init(_ what: String, _ faults: Faults, of board: HapticBoard) {
        self.init(what, faults, on: board.welcome.kind)
    }

    private init(_ what: String, _ faults: Faults, on kind: BoardKind) {
        self.init(
            ExitStatus(faults), "\(what); faults: " + (faults.isEmpty ? "none" : "\(faults)"))
        advice = faults.advice(on: kind)
    }
}

extension ExitStatus {
    /// Creates the status for faults of a board.
    package init(_ faults: Faults) {
        self =
            switch faults.meaning {
            case .actuatorFault: .actuatorFault
            case .supplyFault: .supplyFault
            case .noDriver: .noDriver
            case .inputOutput: .inputOutput
            }
    }
}

extension ToolError {
    /// Creates an error from an error of an engine.
    package init(_ error: HapticError, at port: String?) {
        let status: ExitStatus =
            switch error.code {
            case _ where !error.faults.isEmpty: ExitStatus(error.faults)
            case _ where error.underlying is LocalityError: .usage
            case _ where (error.underlying as? PlaybackError)?.isUnconfigured == true:
                .notConfigured
            case .notSupported: .noBoard
            case .serverInitFailed, .engineStartTimeout, .operationNotPermitted: .busy
            default: .inputOutput
            }
        let prefix = (port ?? error.port).map { "\($0): " } ?? ""
        self.init(status, prefix + error.reason)
        advice = error.advice
    }

    /// Creates an error for a board whose connection could not be opened or was lost. If this
    /// process has detected the cause itself, the message is the same as without an engine.
    package init(connecting error: HapticError, at port: String?) {
        if let underlying = error.underlying, error.faults.isEmpty {
            self.init(underlying, port: port)
        } else {
            self.init(error, at: port)
        }
    }

    /// Creates an error for an engine that has stopped unexpectedly.
    package init(ended engine: HapticEngine, at port: String?) {
        self.init(engine.failure ?? .unknownEnd, at: port)
    }
}

extension HapticError {
    /// The error for an engine that has stopped without reporting a reason.
    package static let unknownEnd = HapticError(.serverInterrupted, "the board can no longer play")

    /// The message without the port, followed by the advice, on one line.
    package var explanation: String { ([reason] + advice).joined(separator: "; ") }
}

extension PlaybackError {
    /// True if the board has rejected a stream because an actuator is not configured.
    fileprivate var isUnconfigured: Bool {
        if case .rejected(let reject) = self { reject.code == .unconfigured } else { false }
    }
}
