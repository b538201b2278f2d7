// The error codes as static members of `HapticError`, as in Core Haptics, for `catch` clauses and
// comparisons.

import HapticBoards

extension HapticError {
    /// See ``Code/engineNotRunning``.
    public static var engineNotRunning: Code { .engineNotRunning }
    /// See ``Code/operationNotPermitted``.
    public static var operationNotPermitted: Code { .operationNotPermitted }
    /// See ``Code/engineStartTimeout``.
    public static var engineStartTimeout: Code { .engineStartTimeout }
    /// See ``Code/notSupported``.
    public static var notSupported: Code { .notSupported }
    /// See ``Code/serverInitFailed``.
    public static var serverInitFailed: Code { .serverInitFailed }
    /// See ``Code/serverInterrupted``.
    public static var serverInterrupted: Code { .serverInterrupted }
    /// See ``Code/invalidPatternPlayer``.
    public static var invalidPatternPlayer: Code { .invalidPatternPlayer }
    /// See ``Code/invalidPatternData``.
    public static var invalidPatternData: Code { .invalidPatternData }
    /// See ``Code/invalidPatternDictionary``.
    public static var invalidPatternDictionary: Code { .invalidPatternDictionary }
    /// See ``Code/invalidAudioSession``.
    public static var invalidAudioSession: Code { .invalidAudioSession }
    /// See ``Code/invalidEngineParameter``.
    public static var invalidEngineParameter: Code { .invalidEngineParameter }
    /// See ``Code/invalidParameterType``.
    public static var invalidParameterType: Code { .invalidParameterType }
    /// See ``Code/invalidEventType``.
    public static var invalidEventType: Code { .invalidEventType }
    /// See ``Code/invalidEventTime``.
    public static var invalidEventTime: Code { .invalidEventTime }
    /// See ``Code/invalidEventDuration``.
    public static var invalidEventDuration: Code { .invalidEventDuration }
    /// See ``Code/invalidAudioResource``.
    public static var invalidAudioResource: Code { .invalidAudioResource }
    /// See ``Code/resourceNotAvailable``.
    public static var resourceNotAvailable: Code { .resourceNotAvailable }
    /// See ``Code/badEventEntry``.
    public static var badEventEntry: Code { .badEventEntry }
    /// See ``Code/badParameterEntry``.
    public static var badParameterEntry: Code { .badParameterEntry }
    /// See ``Code/invalidTime``.
    public static var invalidTime: Code { .invalidTime }
    /// See ``Code/fileNotFound``.
    public static var fileNotFound: Code { .fileNotFound }
    /// See ``Code/insufficientPower``.
    public static var insufficientPower: Code { .insufficientPower }
    /// See ``Code/unknownError``.
    public static var unknownError: Code { .unknownError }
    /// See ``Code/memoryError``.
    public static var memoryError: Code { .memoryError }
}
