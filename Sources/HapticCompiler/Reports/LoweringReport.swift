// LoweringReport: a report of all events of a pattern that an actuator cannot render exactly.

import HapticPatterns
import JSONText

/// The events of a pattern that cannot be rendered exactly with a profile, and the reasons.
public struct LoweringReport: Sendable, Equatable {
    /// The reason why an event is not felt as written. The raw value is the name of this rule in
    /// messages.
    public enum Rule: String, Sendable, CaseIterable {
        /// The event is a transient of intensity 0. Such an event is not sent, because its only
        /// effect would be to interrupt the running level.
        case silentTap = "silent-tap"
        /// Another tap starts before this tap ends and cuts it off.
        case tapTruncated = "tap-truncated"
        /// The tap is so close to another tap that the actuator cannot separate the two. Only the
        /// strongest of several simultaneous taps is played. During a series of close taps, a motor
        /// keeps turning.
        case tapsFuse = "taps-fuse"
        /// The tap is too weak to be felt over the running level, and follows another tap so
        /// closely that the level cannot be interrupted in favor of this tap.
        case hiddenByLevel = "hidden-by-level"
        /// The actuator cannot render the event's sharpness.
        case sharpnessNotRendered = "sharpness-not-rendered"
        /// The actuator cannot reach the event's intensity at the event's frequency, because its
        /// voltage is limited.
        case limitedByVoltage = "limited-by-voltage"
        /// The event is a continuous event shorter than a tick, and is lengthened to one tick.
        case lengthenedToTick = "lengthened-to-tick"
        /// The event is a continuous event that overlaps another continuous event. During the
        /// overlap, only one of the two events is felt.
        case mixedByMaximum = "mixed-by-maximum"
        /// The event has no end. Batch compilation ends the event after a time limit.
        case endlessEvent = "endless-event"
        /// The energy budget is used up at this event, and the device then begins to limit the
        /// level.
        case overBudget = "over-budget"
        /// The time of the event was changed by more than 0.5 ms. Because a tick is shorter than
        /// 0.5 ms, this indicates a defect of the compiler.
        case quantisedTime = "quantised-time"

        /// True if an event with this finding is not felt at all.
        public var isNotPlayed: Bool { self == .silentTap }
    }

    /// A finding about one event.
    public struct Item: Sendable, Equatable {
        /// The rule of the finding.
        public var rule: Rule
        /// The index of the event in the list of the pattern's events.
        public var event: Int
        /// The time at which the event starts, in microseconds.
        public var time: Microseconds
        /// The location of the event in its file; nil if the pattern was not read from a file.
        public var location: SourceLocation?
        /// A description of the finding with its values, in one sentence without a period.
        public var message: String

        /// Returns the finding in the form `file:line:column: message [rule]`.
        public func line(file: String) -> String {
            let position = location.map { "\(file):\($0)" } ?? file
            return "\(position): \(message) [\(rule.rawValue)]"
        }
    }

    /// The findings in the order of the events. An event may have several findings.
    public var items: [Item]
    /// The number of events that are rendered exactly, within the resolution of the stream.
    public var exact: Int
    /// The number of events that are rendered, but not exactly.
    public var degraded: Int
    /// The number of haptic events that are not rendered.
    public var notPlayed: Int
    /// The number of audio events, which a loudspeaker plays. The other counts do not include audio
    /// events.
    public var audioEvents: Int

    /// Returns the findings that belong to the given rule.
    public func items(of rule: Rule) -> [Item] { items.filter { $0.rule == rule } }
}
