// RecordingError: the reason why a board could not record its accelerometer.

import BridgeLink

/// A reason why a board could not record its accelerometer.
public enum RecordingError: Error, Hashable, Sendable {
    /// The firmware of the board does not support accelerometers.
    case unsupported
    /// The board has found no accelerometer.
    case noSensor
    /// The board has found an accelerometer of a kind that this version does not know.
    case unknownSensor(SensorKind)
    /// The recording would have more samples than the protocol permits. `most` is the maximum
    /// length of a recording in microseconds.
    case tooLong(most: Microseconds)
    /// The accelerometer no longer answers, or has delivered too few samples to determine their
    /// times. `end` is the state of the recording; nil if the recording has not ended in time.
    case noSamples(end: RecordingState?)
}

extension RecordingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unsupported: "the firmware of the board does not support accelerometers"
        case .noSensor: "the board has found no accelerometer"
        case .unknownSensor(let kind): "the accelerometer of the board is unknown: \(kind)"
        case .tooLong(let most):
            "a recording of this accelerometer can last \(most / 1_000_000) s at most"
        case .noSamples(.lost?): "the accelerometer no longer answers"
        case .noSamples(nil): "the recording has not ended in time"
        case .noSamples: "the recording has too few samples"
        }
    }
}
