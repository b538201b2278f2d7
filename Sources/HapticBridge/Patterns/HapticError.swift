// What goes wrong in an app's use of haptics, in Core Haptics' numbers.

import AHAP
import BridgeLink
import Foundation

/// An error of the engine, its players or a pattern.
public struct HapticError: Error {
    /// The codes of `CHHapticErrors.h`, with its raw values.
    public enum Code: Int, Sendable, CaseIterable {
        /// The engine is not running: start it first.
        case engineNotRunning = -4805
        /// The operation is not possible on this object.
        case operationNotPermitted = -4806
        /// The board did not answer in time.
        case engineStartTimeout = -4808
        /// There is no board, or it has no actuator that can play.
        case notSupported = -4809
        /// The board's port cannot be used.
        case serverInitFailed = -4810
        /// The connection to the board was lost.
        case serverInterrupted = -4811
        /// The player was made before the board was reset.
        case invalidPatternPlayer = -4812
        /// The file is not readable as AHAP.
        case invalidPatternData = -4813
        /// The dictionary is not a pattern.
        case invalidPatternDictionary = -4814
        /// An audio session that is not usable; never thrown, as there is none here.
        case invalidAudioSession = -4815
        /// A property of an engine or player was given an illegal value.
        case invalidEngineParameter = -4816
        /// There is no such parameter, or events of that type do not have it.
        case invalidParameterType = -4820
        /// There is no such event type.
        case invalidEventType = -4821
        /// The time of an event is negative or otherwise impossible.
        case invalidEventTime = -4822
        /// The duration of an event is negative or otherwise impossible.
        case invalidEventDuration = -4823
        /// An audio event names no sound, or one that was never registered.
        case invalidAudioResource = -4824
        /// A sound file is not there.
        case resourceNotAvailable = -4825
        /// An event has an entry of the wrong type or value.
        case badEventEntry = -4830
        /// A parameter, a curve or a point has a wrong entry or value.
        case badParameterEntry = -4831
        /// A time that is negative or otherwise impossible.
        case invalidTime = -4840
        /// There is no pattern file at the URL.
        case fileNotFound = -4851
        /// The board holds its levels back for want of power; never thrown.
        case insufficientPower = -4897
        /// Anything else.
        case unknownError = -4898
        /// There is no memory left; never thrown.
        case memoryError = -4899
    }

    /// What kind of error it is.
    public let code: Code
    /// What else there is to say.
    // As in `NSError`, which is Sendable too: what is put into it is left alone afterwards.
    public nonisolated(unsafe) let userInfo: [String: Any]

    /// Makes an error; of what else there is to say, the message is at `NSLocalizedDescriptionKey`.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// Makes an error that says what was found and what to do.
    public init(_ code: Code, _ message: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// What was found and what to do, in words for people; without any, the name of the code.
    public var message: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)" }
}

extension HapticError: Hashable {
    /// Whether code and message are the same.
    public static func == (one: HapticError, other: HapticError) -> Bool {
        (one.code, one.message) == (other.code, other.message)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}

/// Core Haptics' spelling.
public typealias CHHapticError = HapticError

/// The domain of ``HapticError`` where errors have one.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CoreHapticsErrorDomain = "com.apple.CoreHaptics"

extension HapticError: CustomStringConvertible {
    /// The message and the number.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension HapticError: CustomNSError, LocalizedError {
    /// The domain of these codes where errors have one.
    public static var errorDomain: String { CoreHapticsErrorDomain }
    /// The code as a number.
    public var errorCode: Int { code.rawValue }
    /// The message.
    public var errorDescription: String? { message }
    /// What Foundation is told: ``userInfo``, and the message in any case.
    public var errorUserInfo: [String: Any] {
        userInfo.merging([NSLocalizedDescriptionKey: message]) { said, _ in said }
    }
}

/// Matches an error by its code, so that `catch CHHapticError.engineNotRunning` works.
public func ~= (code: HapticError.Code, error: any Error) -> Bool {
    (error as? HapticError)?.code == code
}

extension HapticError {
    /// A refusal of the reader, in words that say where.
    init(_ error: AHAPError, _ message: String) {
        self.init(Code(rawValue: error.code.rawValue) ?? .unknownError, message)
    }

    /// Why a board could not be connected to, or was lost.
    init(connecting error: any Error) {
        let code: Code =
            switch error {
            case is BoardSearchError: .notSupported
            case is HapticSettings.Refusal: .invalidEngineParameter
            case TransportError.notFound, TransportError.notAPort: .notSupported
            case TransportError.unplugged: .serverInterrupted
            case LinkEnd.noAnswer, LinkEnd.versionRefused: .engineStartTimeout
            case is LinkEnd: .serverInterrupted
            case is TransportError: .serverInitFailed
            case let error as HapticError: error.code
            default: .unknownError
            }
        self.init(code, (error as? HapticError)?.message ?? "\(error)")
    }
}
