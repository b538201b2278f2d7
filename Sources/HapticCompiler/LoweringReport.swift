// What a pattern loses on its way to an actuator, event by event. Nothing is lost unsaid.

public import AHAP

/// What a profile cannot render exactly of a pattern, and why.
public struct LoweringReport: Sendable, Equatable {
    /// Why an event is not felt as it was written. The raw value is the rule's name for people.
    public enum Rule: String, Sendable, CaseIterable {
        /// An audio event: kept in the file, never played by an actuator.
        case audioNotPlayed = "audio-not-played"
        /// A transient of intensity 0: sent, it would only interrupt what else is felt.
        case silentTap = "silent-tap"
        /// A tap starts before this one has sounded to its end, and replaces it.
        case tapTruncated = "tap-truncated"
        /// A tap follows the one before it closer than the actuator can tell apart.
        case tapsFuse = "taps-fuse"
        /// A sharpness that the actuator cannot render.
        case sharpnessNotRendered = "sharpness-not-rendered"
        /// A level above 0 that does not move the actuator.
        case belowLevelFloor = "below-level-floor"
        /// A continuous event of less than a tick, which is given one tick.
        case lengthenedToTick = "lengthened-to-tick"
        /// A continuous event that sounds together with another; where both do, one is felt.
        case mixedByMaximum = "mixed-by-maximum"
        /// An event without an end, which a batch has to end.
        case endlessEvent = "endless-event"
        /// The energy budget is used up: from here on the device holds the level back.
        case overBudget = "over-budget"
        /// A time that moved by more than 0.5 ms. Ticks are finer: it would be a defect.
        case quantisedTime = "quantised-time"

        /// Whether the event is not felt at all.
        public var isNotPlayed: Bool { self == .audioNotPlayed || self == .silentTap }
    }

    /// One finding about one event.
    public struct Item: Sendable, Equatable {
        /// What happened.
        public var rule: Rule
        /// The event's index in the pattern's events.
        public var event: Int
        /// When the event starts, in microseconds.
        public var time: Microseconds
        /// Where the event stands in its file; nil for a pattern that came from no file.
        public var place: SourcePlace?
        /// What happened in numbers, in one sentence without a full stop.
        public var message: String

        /// `file:line:column: rule: message`.
        public func line(file: String) -> String {
            let position = place.map { "\(file):\($0)" } ?? file
            return "\(position): \(message) [\(rule.rawValue)]"
        }
    }

    /// The findings in order of events; an event may have several.
    public var items: [Item]
    /// How many events are rendered exactly, to the resolution of the stream.
    public var exact: Int
    /// How many events are rendered, but not exactly.
    public var degraded: Int
    /// How many events are not rendered.
    public var notPlayed: Int

    /// The findings of one rule.
    public func items(of rule: Rule) -> [Item] { items.filter { $0.rule == rule } }
}
