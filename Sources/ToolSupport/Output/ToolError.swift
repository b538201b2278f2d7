// ToolError: an error message for the user, and the exit status.

import AHAP
import BoardSharing
import BridgeLink
import HapticBridge
import HapticCompiler
import POSIX
import SerialPorts

/// An error for the user, which states the location, the problem, the expected condition and the
/// remedy.
package struct ToolError: Error {
    package var status: ExitStatus
    /// The message: one sentence that starts with the location.
    package var message: String
    /// Advice on the remedy, with one sentence in each element.
    package var advice: [String] = []
    /// The reason why a file with invalid contents is refused; nil for any other error.
    package var diagnostic: Diagnostic?

    package init(_ status: ExitStatus, _ message: String, advice: String...) {
        self.status = status
        self.message = message
        self.advice = advice
    }

    /// The full text for the user, with one line for each piece of advice.
    package var text: String {
        (["bridge: \(message)"] + advice.map { "  \($0)" }).joined(separator: "\n")
    }
}

// MARK: From the errors of the libraries

extension ToolError {
    /// Creates an error from any error that occurs while a board is used.
    ///
    /// - Parameter port: the port of the board, if it is known.
    package init(_ error: any Error, port: String?) {
        let prefix = port.map { "\($0): " } ?? ""
        switch error {
        case let error as ToolError: self = error
        case let error as BoardSearchError: self.init(error)
        case let error as RemoteKey.Refusal:
            self.init(error.isMissing ? .noInput : .badData, error.description)
        case let error as HapticSettings.Refusal: self.init(error)
        case let error as TransportError: self.init(error)
        case let error as HapticError: self.init(error, at: port)
        case let error as LocalityError: self.init(.usage, "\(prefix)\(error)")
        case let error as LinkEnd: self.init(error, port: port)
        case let error as PlaybackError: self.init(error, port: port)
        case let error as RecordingError: self.init(error, prefix: prefix)
        case RequestError.rejected(let reject): self.init(reject, prefix: prefix)
        case RequestError.unanswered:
            self.init(.busy, "\(prefix)the board did not answer in time", advice: Self.tryAgain)
        case let error as RequestError:
            self.init(.inputOutput, "\(prefix)a request was lost (\(error))", advice: Self.tryAgain)
        default: self.init(.internalError, "\(prefix)\(error)")
        }
    }

    /// Creates an error from an error that the libraries throw; nil for any other error, such as an
    /// error from the command-line parser, which has its own text and status.
    package init?(ofLibraries error: any Error) {
        switch error {
        case is TransportError, is LinkEnd, is PlaybackError, is RequestError, is HapticError,
            is LocalityError, is BoardSearchError, is RemoteKey.Refusal, is HapticSettings.Refusal,
            is RecordingError:
            self.init(error, port: nil)
        default: return nil
        }
    }

    /// Creates an error for the contents of a file, with the location in the file.
    package init(_ diagnostic: Diagnostic, in file: String) {
        self.init(.badData, diagnostic.line(file: file), advice: diagnostic.advice)
        self.diagnostic = diagnostic
    }

    /// Creates an error for a file that is refused as a whole.
    package init(
        refused file: String, by rule: Diagnostic.Rule = .notAPattern, _ message: String,
        advice: String
    ) {
        self.init(.badData, "\(file): \(message)", advice: advice)
        diagnostic = Diagnostic(rule, .error, at: nil, message, advice: advice)
    }

    private static let tryAgain = "try again; if that does not help, reset the board"

    private init(_ error: BoardSearchError) {
        let status: ExitStatus =
            switch error.reason {
            case .noPermission: .noPermission
            case .busy: .busy
            case .versionRefused: .protocolMismatch
            case .noPort, .noCandidate, .noAnswer, .severalAnswer, .noMatch: .noBoard
            }
        self.init(status, error.headline)
        advice =
            error.findings + error.remedies
            + ["--virtual and `bridge play --preview` need no board"]
    }

    private init(_ error: TransportError) {
        switch error {
        case .notFound, .notAPort:
            self.init(.noBoard, "\(error)", advice: "`bridge list` shows the ports")
        case .noPermission: self.init(.noPermission, "\(error)")
        case .busy:
            self.init(
                .busy, "\(error)",
                advice: "end the program that uses the port, or wait until it ends")
        case .refused: self.init(.busy, "\(error)")
        case .network(_, .wrongKey): self.init(.noPermission, "\(error)")
        case .network(_, .turnedAway): self.init(.busy, "\(error)")
        case .network(_, .cannotListen(EADDRINUSE)):
            self.init(.busy, "\(error)", advice: "end that program, or choose another port")
        case .network(_, .cannotListen(EACCES)): self.init(.noPermission, "\(error)")
        case .network(_, .malformed): self.init(.usage, "\(error)")
        case .unplugged, .lost:
            self.init(.inputOutput, "\(error)")
            advice = HapticError.advice(on: error)
        case .network(_, .closed), .network(_, .cannotListen), .unsupported, .failed:
            self.init(.inputOutput, "\(error)")
        case .network: self.init(.noBoard, "\(error)")
        }
    }

    private init(_ error: LinkEnd, port: String?) {
        let prefix = port.map { "\($0): " } ?? ""
        switch error {
        case .noAnswer:
            self.init(
                .noBoard, "\(prefix)\(error)",
                advice: "flash the firmware: \(KnownBoard.flashCommand(at: port))",
                "or choose another port with --port PATH; `bridge list` shows the ports",
                "if the board has answered before, unplug the board for a moment")
        case .versionRefused(let device, let host):
            self.init(.protocolMismatch, "\(prefix)\(error)")
            if device.upperBound < host.lowerBound {
                advice = [KnownBoard.flashCommand(at: port)]
            }
        case .welcomeInvalid:
            self.init(
                .protocolMismatch, "\(prefix)\(error)",
                advice: "flash the firmware: \(KnownBoard.flashCommand(at: port))",
                "if it is your own implementation of the protocol, see SPEC 4.2")
        case .sessionLost, .silent:
            self.init(.inputOutput, "\(prefix)\(error)")
            advice = HapticError.advice(on: error)
        }
    }

    private init(_ error: PlaybackError, port: String?) {
        let prefix = port.map { "\($0): " } ?? ""
        switch error {
        case .link(let end): self.init(end, port: port)
        case .rejected(let reject): self.init(reject, prefix: prefix)
        case .actuatorNotReady(_, .unconfigured): self.init(.notConfigured, "\(prefix)\(error)")
        case .actuatorNotReady, .closedByDevice:
            self.init(
                .inputOutput, "\(prefix)\(error)",
                advice: "the board is at rest; `bridge info` shows the faults")
        case .endMissing: self.init(.badData, "\(prefix)\(error)")
        case .unanswered: self.init(.busy, "\(prefix)\(error)", advice: Self.tryAgain)
        }
    }

    private init(_ reject: Reject, prefix: String) {
        switch reject.code {
        case .unconfigured: self.init(.notConfigured, "\(prefix)\(reject)")
        case .noActuator:
            self.init(
                .usage, "\(prefix)\(reject)", advice: "`bridge info` shows the actuators")
        case .unknownMessage, .length: self.init(.protocolMismatch, "\(prefix)\(reject)")
        case .inUse:
            self.init(
                .busy, "\(prefix)\(reject)",
                advice: "wait until the current playback has finished, or end it with `bridge stop`"
            )
        case .budget:
            self.init(
                .busy, "\(prefix)\(reject)",
                advice: "let the actuator cool down for a few seconds, then try again")
        case .muted:
            self.init(
                .inputOutput, "\(prefix)\(reject)",
                advice: "unmute the actuator, or reset the board")
        default: self.init(.inputOutput, "\(prefix)\(reject)")
        }
    }
}
