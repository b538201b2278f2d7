// StudioMessage: the types of the messages from the studio to its pages.

import Foundation

/// A message to a page, which is a JSON object with the type and the members of the message.
/// Members that are nil are omitted.
///
/// `make page-messages` generates the page's `messages.d.ts` from these types.
protocol StudioMessage: Codable, Sendable {
    static var type: StudioMessageType { get }
}

/// The type of a message to a page.
enum StudioMessageType: String, CaseIterable {
    case hello, files, document, ack, closed, conflict, error, board, position, rest, design
    case prediction, measurement, abx

    /// The Swift type of the messages of this type.
    var message: any StudioMessage.Type {
        switch self {
        case .hello: StudioMessages.Hello.self
        case .files: StudioMessages.Files.self
        case .document: StudioMessages.Document.self
        case .ack: StudioMessages.Acknowledgement.self
        case .closed: StudioMessages.Closed.self
        case .conflict: StudioMessages.Conflict.self
        case .error: StudioMessages.Problem.self
        case .board: StudioMessages.Board.self
        case .position: StudioMessages.Position.self
        case .rest: StudioMessages.Rest.self
        case .design: StudioMessages.Design.self
        case .prediction: StudioMessages.Prediction.self
        case .measurement: StudioMessages.Measurement.self
        case .abx: StudioMessages.Comparison.self
        }
    }
}

extension StudioMessage {
    /// The message as JSON text.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding these types cannot fail.
        let members = String(decoding: try! encoder.encode(self), as: UTF8.self).dropFirst()
        return "{\"type\":\"\(Self.type.rawValue)\"" + (members == "}" ? "" : ",") + members
    }
}

extension StudioMessages {
    /// The first message to a page. The messages that describe the board, the measurement and, if a
    /// document is open, the document are sent next.
    struct Hello: StudioMessage {
        static let type = StudioMessageType.hello
        /// The path of the folder.
        var folder: String
        var files: [String]
        /// The name of the document; nil if no document is open.
        var current: String?
        var named: [Named]
    }

    /// A pattern that is built into Haptic Bridge.
    struct Named: Codable {
        var name: String
        var meaning: String
    }

    /// The files of the folder.
    struct Files: StudioMessage {
        static let type = StudioMessageType.files
        var files: [String]
    }

    /// The reason for sending a document.
    enum Cause: String, Codable, CaseIterable {
        case open, edit, undo, redo, save, rename, disk, lost, emptied, unreadable
    }

    /// The document and its state. The member `document` is appended separately. This member is
    /// null for a text that cannot be read, and absent if only the other members have changed.
    struct Document: StudioMessage {
        static let type = StudioMessageType.document
        var file: String
        var isReadOnly: Bool
        var cause: Cause
        var revision: Int
        var isSaved: Bool
        var canUndo: Bool
        var canRedo: Bool
        var duration: Double
        var diagnostics: [Finding]
    }

    /// The acknowledgment of an edit, and the state of the document after its analysis.
    struct Acknowledgement: StudioMessage {
        static let type = StudioMessageType.ack
        var revision: Int
        var isSaved: Bool
        var canUndo: Bool
        var canRedo: Bool
        var duration: Double
        var diagnostics: [Finding]
    }

    /// A diagnostic for the file.
    struct Finding: Codable {
        var line: Int?
        var column: Int?
        var entry: Int?
        var severity: String
        var message: String
        var fix: String?
    }

    /// The message that the document has been closed and no other document is open.
    struct Closed: StudioMessage {
        static let type = StudioMessageType.closed
    }

    /// The message that another program has saved the file while the document has unsaved changes.
    struct Conflict: StudioMessage {
        static let type = StudioMessageType.conflict
        var file: String
        var text: String
    }

    /// An error that is shown on the page.
    struct Problem: StudioMessage {
        static let type = StudioMessageType.error
        var message: String
        var advice: String?
        /// The subject of the failed request; nil if the error was not caused by a request.
        var about: StudioRequest.Subject?
    }

    /// The board and, if no haptics are felt on the board, the reason.
    struct Board: StudioMessage {
        static let type = StudioMessageType.board
        var path: String
        var name: String
        var isVirtual: Bool
        var actuator: String
        var felt: Bool
        var why: String?
        /// The reason why nothing can be measured; nil if the board has an accelerometer.
        var unmeasured: String?
        var settings: Settings
    }

    /// The settings that weaken or mute playback.
    struct Settings: Codable {
        var isOn: Bool
        var gain: Double
        var muted: Bool
        var studioGain: Double
    }

    /// The playback position.
    struct Position: StudioMessage {
        static let type = StudioMessageType.position
        var time: Double
        var isPlaying: Bool
    }

    /// The confirmation that the actuator is at rest, or the reason why its state is unknown.
    struct Rest: StudioMessage {
        static let type = StudioMessageType.rest
        var verified: Bool
        var text: String
    }

    /// The design of the pattern: intensity and sharpness at points in time.
    struct Design: StudioMessage {
        static let type = StudioMessageType.design
        var times: [Double]
        var intensity: [Double]
        var sharpness: [Double]
    }

    /// The actuator of a prediction: the actuator of the board, or a coin actuator.
    enum PredictionKind: String, Codable, CaseIterable {
        case board, lra, erm
    }

    /// The prediction for one actuator.
    struct Prediction: StudioMessage {
        static let type = StudioMessageType.prediction
        var actuator: String
        var kind: PredictionKind
        var rated: Double
        var times: [Double]
        /// The acceleration at each of the times, in g.
        var acceleration: [Double]
        var losses: [Loss]
        /// The number of events that are not felt as designed.
        var lossCount: Int
        var eventCount: Int
        /// The used energy; nil if the actuator has no energy limit.
        var energy: Energy?
    }

    /// A kind of loss, and the events that the loss affects.
    struct Loss: Codable {
        var message: String
        var count: Int
        var places: [Occurrence]
    }

    /// The time and the duration of a loss.
    struct Occurrence: Codable {
        var time: Double
        var duration: Double
    }

    /// The used fraction of the energy budget over time.
    struct Energy: Codable {
        var times: [Double]
        var level: [Double]
    }

    /// The state of the measurement.
    struct Measurement: StudioMessage {
        static let type = StudioMessageType.measurement
        var isRunning: Bool
        /// The measurement of the current version; nil if this version has not been measured.
        var result: Measured?
    }

    /// The measurement of one version of the document.
    struct Measured: Codable {
        /// The board, the actuator, the axis and the accelerometer, as text.
        var place: String
        var times: [Double]
        /// The measured acceleration at each of the times, in g.
        var acceleration: [Double]
        var events: [MeasuredEvent]
        /// The number of events, which may be greater than the number of elements in `events`.
        var eventCount: Int
        /// The figures of the whole pattern, as sentences.
        var summary: [String]
        /// The errors that falsify the measurement.
        var warnings: [String]
    }

    /// The levels of one event, 0 to 1, and their differences. A value is nil if the event is not
    /// designed to be felt, or if no onset was found.
    struct MeasuredEvent: Codable {
        var time: Double
        var isTap: Bool
        var designed: Double?
        var predicted: Double?
        var measured: Double?
        /// The difference from the design, in just-noticeable differences.
        var jnd: Double?
        /// The difference from the prediction, in just-noticeable differences.
        var predictionJND: Double?
        /// The time by which the onset is later than predicted, in milliseconds.
        var later: Double?
    }

    /// The state of the blind test.
    struct Comparison: StudioMessage {
        static let type = StudioMessageType.abx
        var state: Score
    }

    /// The result of the last trial of the blind test.
    enum Verdict: String, Codable, CaseIterable {
        case right, wrong
    }

    /// The score of the blind test.
    struct Score: Codable {
        var trials: Int
        var correct: Int
        /// The probability of achieving at least this number of correct answers by guessing.
        var p: Double
        var isRunning: Bool
        /// The result of the last trial; nil before the first trial.
        var last: Verdict?
    }
}
