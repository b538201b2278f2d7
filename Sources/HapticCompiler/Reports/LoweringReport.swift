// LoweringReport: what a pattern loses on its way to an actuator, event by event. Every loss is
// reported.

import HapticPatterns
import JSONText

/// The parts of a pattern that a profile cannot render exactly, with the reasons.
public struct LoweringReport: Sendable, Equatable {
    /// The reason why an event is not felt as it was written. The raw value is the rule's name for
    /// people.
    public enum Rule: String, Sendable, CaseIterable {
        /// The event is a transient of intensity 0. If it were sent, it would only interrupt
        /// whatever else is felt.
        case silentTap = "silent-tap"
        /// Another tap starts before this one has ended, and replaces it.
        case tapTruncated = "tap-truncated"
        /// The tap is closer to another one than the actuator can separate them. Taps at one
        /// time become the strongest of them; a motor keeps turning between those of a row.
        case tapsFuse = "taps-fuse"
        /// The tap is not stronger than the level under it, and so soon after another one that the
        /// level cannot be interrupted for it.
        case hiddenByLevel = "hidden-by-level"
        /// The actuator cannot render the event's sharpness.
        case sharpnessNotRendered = "sharpness-not-rendered"
        /// The event is a continuous event shorter than a tick, and is lengthened to one tick.
        case lengthenedToTick = "lengthened-to-tick"
        /// The event is a continuous event that overlaps another one. Where they overlap, only one
        /// of them is felt.
        case mixedByMaximum = "mixed-by-maximum"
        /// The event has no end, but batch compilation has to end it.
        case endlessEvent = "endless-event"
        /// The energy budget is used up: from here on the device limits the level.
        case overBudget = "over-budget"
        /// The time of the event moved by more than 0.5 ms. Ticks are finer than that, so this
        /// would be a defect.
        case quantisedTime = "quantised-time"

        /// True if an event with this finding is not felt at all.
        public var isNotPlayed: Bool { self == .silentTap }
    }

    /// One finding about one event.
    public struct Item: Sendable, Equatable {
        /// The rule of the finding.
        public var rule: Rule
        /// The event's index in the pattern's events.
        public var event: Int
        /// The time at which the event starts, in microseconds.
        public var time: Microseconds
        /// The location of the event in its file; nil for a pattern that did not come from a file.
        public var location: SourceLocation?
        /// A description of the finding in numbers, in one sentence without a full stop.
        public var message: String

        /// Returns the finding in the form `file:line:column: message [rule]`.
        public func line(file: String) -> String {
            let position = location.map { "\(file):\($0)" } ?? file
            return "\(position): \(message) [\(rule.rawValue)]"
        }
    }

    /// The findings in the order of the events; an event may have several.
    public var items: [Item]
    /// The number of events that are rendered exactly, to the resolution of the stream.
    public var exact: Int
    /// The number of events that are rendered, but not exactly.
    public var degraded: Int
    /// The number of haptic events that are not rendered.
    public var notPlayed: Int
    /// The number of audio events, which are heard from a loudspeaker and in none of the other counts.
    public var heard: Int

    /// Returns the findings of one rule.
    public func items(of rule: Rule) -> [Item] { items.filter { $0.rule == rule } }
}
