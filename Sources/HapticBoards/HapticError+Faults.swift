// HapticError+Faults: the errors that report the faults of a board.

import BridgeLink

extension HapticError {
    /// The effects of faults.
    package enum FaultEffect: Sendable {
        /// An actuator could not be started.
        case start
        /// The board has ended playback.
        case playback
        /// The board may have interrupted playback, but playback continues.
        case interruption
    }

    /// Creates the error for faults of a board.
    ///
    /// - Parameters:
    ///   - actuator: the actuator that failed; nil if the actuator is unknown.
    ///   - welcome: the WELCOME message from the board.
    package init(
        _ faults: Faults, of actuator: UInt8?, _ effect: FaultEffect, on welcome: Welcome
    ) {
        let what =
            switch effect {
            case .start:
                actuator.map { "actuator \($0) cannot be driven" } ?? "no actuator can be driven"
            case .playback:
                "the board ended the playback and is at rest"
                    + (actuator.map { ": actuator \($0) has a fault" } ?? "")
            case .interruption: "the board has reported faults"
            }
        let isStart = effect == .start
        var advice = faults.advice(on: welcome.kind)
        if let actuator, isStart, welcome.actuators > 1, faults.meaning == .noDriver {
            advice.append(
                "check that the driver of actuator \(actuator) is connected to channel \(actuator) "
                    + "of the multiplexer and to its own EN pin: see Schematics/README.md")
        }
        self.init(
            isStart ? .notSupported : .serverInterrupted,
            "\(what); faults: " + (faults.isEmpty ? "none" : "\(faults)"),
            faults: faults, advice: advice)
    }
}

extension PlaybackError {
    /// True if the error shows that the board has disabled an actuator. The board may then close
    /// the stream at any time.
    package var isActuatorTrouble: Bool {
        switch self {
        case .closedByDevice, .actuatorNotReady(_, .fault): true
        case .rejected(let reject): reject.code == .fault
        default: false
        }
    }
}
