// The errors that an app receives, with Core Haptics' error numbers.

import BridgeLink
import Foundation
import SerialPorts

/// An error of the engine, its players or a pattern.
public struct HapticError: Error {
    /// The codes of `CHHapticErrors.h`, with the raw values of that file.
    public enum Code: Int, Sendable, CaseIterable, Codable {
        /// The engine is not running. Start it first.
        case engineNotRunning = -4805
        /// The operation is not possible on this object.
        case operationNotPermitted = -4806
        /// The board did not answer in time.
        case engineStartTimeout = -4808
        /// There is no board, or the board has no actuator that can play.
        case notSupported = -4809
        /// The board's port cannot be used.
        case serverInitFailed = -4810
        /// The connection to the board was lost.
        case serverInterrupted = -4811
        /// The player was created before the board was reset.
        case invalidPatternPlayer = -4812
        /// The file cannot be read as AHAP.
        case invalidPatternData = -4813
        /// The dictionary is not a pattern.
        case invalidPatternDictionary = -4814
        /// An audio session is not usable. This code is never thrown, because there are no audio
        /// sessions.
        case invalidAudioSession = -4815
        /// A property of an engine or player was set to an invalid value.
        case invalidEngineParameter = -4816
        /// The parameter is unknown, or events of this type do not have this parameter.
        case invalidParameterType = -4820
        /// The event type is unknown.
        case invalidEventType = -4821
        /// The time of an event is negative or otherwise invalid.
        case invalidEventTime = -4822
        /// The duration of an event is negative or otherwise invalid.
        case invalidEventDuration = -4823
        /// An audio event names no sound, or names a sound that is not registered.
        case invalidAudioResource = -4824
        /// A sound file does not exist.
        case resourceNotAvailable = -4825
        /// An event has an entry of the wrong type or with an invalid value.
        case badEventEntry = -4830
        /// A parameter, a curve or a control point has an entry of the wrong type or with an
        /// invalid value.
        case badParameterEntry = -4831
        /// A time is negative or otherwise invalid.
        case invalidTime = -4840
        /// There is no pattern file at the URL.
        case fileNotFound = -4851
        /// The board limits its levels because of insufficient power. Never thrown.
        case insufficientPower = -4897
        /// Any other error.
        case unknownError = -4898
        /// An operation would exceed the maximum number of stored items of an engine or a player.
        /// For example, the maximum of one player is 20,000 queued parameters and control points,
        /// and 1,000 starts and stops.
        case memoryError = -4899
    }

    /// The code of the error.
    public let code: Code
    /// Additional information about the error, by key.
    // Sendable is unchecked, as for `NSError`: the values must not be changed after they have been
    // added to the dictionary.
    public nonisolated(unsafe) let userInfo: [String: Any]

    /// Creates an error with additional information. In this information, the key of the message is
    /// `NSLocalizedDescriptionKey`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// Creates an error with a message that states the problem and the remedy.
    public init(_ code: Code, _ message: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// Creates an error from the parts of its message.
    ///
    /// - Parameters:
    ///   - reason: the message without the port.
    ///   - port: the port of the board; nil if the message does not need to name the port.
    ///   - faults: the board's faults that caused the error.
    ///   - advice: the remedies, one sentence per element.
    ///   - underlying: the underlying error from the board or its port; nil if there is none.
    package init(
        _ code: Code, _ reason: String, port: String? = nil, faults: Faults = [],
        advice: [String], underlying: (any Error)? = nil
    ) {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: (port.map { "\($0): " } ?? "") + reason,
            Self.reasonKey: reason, Self.faultsKey: faults,
            NSLocalizedRecoverySuggestionErrorKey: advice.joined(separator: "\n"),
        ]
        userInfo[Self.portKey] = port
        userInfo[NSUnderlyingErrorKey] = underlying
        self.init(code, userInfo: userInfo)
    }

    private static let reasonKey = "HapticBridgeReason"
    private static let portKey = "HapticBridgePort"
    private static let faultsKey = "HapticBridgeFaults"

    /// The message for the user, which states the problem and the remedy; the name of the code if
    /// there is no message.
    public var message: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)" }

    /// The message without the port of the board.
    package var reason: String { userInfo[Self.reasonKey] as? String ?? message }

    /// The port that the message contains; nil if the message contains no port.
    package var port: String? { userInfo[Self.portKey] as? String }

    /// The underlying error from the board or its port; nil if this process did not detect the
    /// error itself.
    package var underlying: (any Error)? { userInfo[NSUnderlyingErrorKey] as? any Error }

    /// The faults of the board that caused the error, such as a short circuit; empty for other
    /// errors.
    public var faults: Faults { userInfo[Self.faultsKey] as? Faults ?? [] }

    /// The remedies for the error, one sentence per element; empty if the message contains the
    /// remedies. Foundation receives the remedies as the recovery suggestion.
    public var advice: [String] {
        let text = userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String ?? ""
        return text.isEmpty ? [] : text.components(separatedBy: "\n")
    }
}

extension HapticError: Hashable {
    /// Returns whether two errors have the same code and the same message.
    public static func == (one: HapticError, other: HapticError) -> Bool {
        (one.code, one.message) == (other.code, other.message)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

/// The Core Haptics name of ``HapticError``.
public typealias CHHapticError = HapticError

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The error domain of ``HapticError`` in Foundation.
public let CoreHapticsErrorDomain = "com.apple.CoreHaptics"

extension HapticError: CustomStringConvertible {
    /// The message, followed by the number of the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension HapticError: CustomNSError, LocalizedError {
    /// The error domain of these codes in Foundation.
    public static var errorDomain: String { CoreHapticsErrorDomain }
    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// The message of the error.
    public var errorDescription: String? { message }
    /// The remedies for the error; nil if the message contains the remedies.
    public var recoverySuggestion: String? {
        advice.isEmpty ? nil : advice.joined(separator: "\n")
    }
    /// The information that Foundation receives: ``userInfo`` and, in every case, the message.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: message]) { said, _ in said }
    }
}

/// Matches an error by its code, so that `catch CHHapticError.engineNotRunning` works.
public func ~= (code: HapticError.Code, error: any Error) -> Bool {
    (error as? HapticError)?.code == code
}

extension HapticError {
    /// Creates the error for a board that could not be connected or that was lost.
    package init(connecting error: any Error) {
        let code: Code =
            switch error {
            case is BoardSearchError: .notSupported
            case is HapticSettings.Refusal: .invalidEngineParameter
            case TransportError.notFound, TransportError.notAPort: .notSupported
            case TransportError.unplugged, TransportError.lost, TransportError.network(_, .closed):
                .serverInterrupted
            case TransportError.network: .notSupported
            case LinkEnd.noAnswer, LinkEnd.versionRefused, LinkEnd.welcomeInvalid:
                .engineStartTimeout
            case is LinkEnd: .serverInterrupted
            case is TransportError: .serverInitFailed
            case let error as HapticError: error.code
            default: .unknownError
            }
        switch error {
        case let error as HapticError: self = error
        case let error as TransportError:
            self.init(
                code, error.reason, port: error.path, advice: Self.advice(on: error),
                underlying: error)
        default: self.init(code, "\(error)", advice: Self.advice(on: error), underlying: error)
        }
    }

    private static let resetAdvice = "if the board resets on its own, check its supply"

    /// The error for a board that was reset.
    package static let boardWasReset = HapticError(
        .serverInterrupted, "the board was reset", advice: [resetAdvice])

    /// Returns advice for a board whose connection was lost.
    package static func advice(on error: any Error) -> [String] {
        switch error {
        case TransportError.lost(_, _, let advice): advice
        case TransportError.unplugged:
            [
                "plug the board in again; if the board was not unplugged, check "
                    + "its cable and its supply"
            ]
        case LinkEnd.silent:
            [
                "check the cable and the supply of the board; if the board still does not answer, "
                    + "unplug it for a moment"
            ]
        case LinkEnd.sessionLost: [resetAdvice]
        default: []
        }
    }

    /// Creates the error for a board that answered but cannot play.
    package init(opening error: any Error) {
        switch error {
        case PlaybackError.rejected(let reject) where reject.code == .unconfigured:
            let actuator = reject.limit
            self.init(
                .notSupported,
                "actuator \(actuator) is not configured, so the board does not drive it",
                advice: [
                    "configure the actuator, for example: "
                        + "`bridge actuator set --actuator \(actuator) NAME` "
                        + "with a name from `bridge actuator list`"
                ], underlying: error)
        case is PlaybackError, is LocalityError:
            self.init(.notSupported, "\(error)", advice: [], underlying: error)
        default: self.init(connecting: error)
        }
    }
}
