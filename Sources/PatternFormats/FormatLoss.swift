// FormatLoss: a part of a file that is lost or changed by a conversion.

import HapticPatterns
import JSONText

/// A difference between a file and the result of its conversion.
public struct FormatLoss: Sendable, Hashable {
    /// The severity of a loss, with the names that `bridge explain` uses.
    public enum Verdict: String, Sendable, CaseIterable {
        /// The converted pattern contains the part, but the part differs from the design.
        case degraded
        /// The part is missing.
        case notPlayed = "not played"
    }

    /// The severity of the loss.
    public var verdict: Verdict
    /// The index of the event in the pattern; nil if the loss does not concern an event.
    public var event: Int?
    /// The time of the part, in microseconds from the start; nil if the part has no time.
    public var time: Microseconds?
    /// The difference in strength, sharpness or time, in just-noticeable differences; nil if the
    /// difference is of a different kind.
    public var jnd: Double?
    /// The location of the part in the file; nil if unknown.
    public var location: FileLocation?
    /// The description of the loss, in one sentence without a period.
    public var message: String

    /// Creates a loss.
    public init(
        _ verdict: Verdict, event: Int? = nil, time: Microseconds? = nil, jnd: Double? = nil,
        at location: FileLocation? = nil, _ message: String
    ) {
        self.verdict = verdict
        self.event = event
        self.time = time
        self.jnd = jnd
        self.location = location
        self.message = message
    }

    /// Creates a loss with a location in a text.
    public init(
        _ verdict: Verdict, event: Int? = nil, time: Microseconds? = nil, jnd: Double? = nil,
        at location: SourceLocation?, _ message: String
    ) {
        self.init(
            verdict, event: event, time: time, jnd: jnd, at: location.map(FileLocation.text),
            message)
    }
}
