// FormatLoss: a part of a file that its conversion does not keep.

import HapticPatterns
import JSONText

/// A difference between a file and what its conversion keeps of it.
public struct FormatLoss: Sendable, Hashable {
    /// The weight of a loss, in the words of `bridge explain`.
    public enum Verdict: String, Sendable, CaseIterable {
        /// The part is there, but not as it was designed.
        case degraded
        /// The part is missing.
        case notPlayed = "not played"
    }

    /// The weight of the loss.
    public var verdict: Verdict
    /// The index of the event in the pattern; nil if the loss is not one of an event.
    public var event: Int?
    /// The time of the part, in microseconds from the start; nil if it has none.
    public var time: Microseconds?
    /// The difference in just-noticeable differences; nil where it is none of strength, sharpness or
    /// time.
    public var jnd: Double?
    /// The location of the part in its file; nil if it is not known.
    public var location: SourceLocation?
    /// The description, in one sentence without a full stop.
    public var message: String

    /// Makes a loss.
    public init(
        _ verdict: Verdict, event: Int? = nil, time: Microseconds? = nil, jnd: Double? = nil,
        location: SourceLocation? = nil, _ message: String
    ) {
        self.verdict = verdict
        self.event = event
        self.time = time
        self.jnd = jnd
        self.location = location
        self.message = message
    }
}
