// SystemFeedback: the named feedback patterns of operating systems, as this project's own AHAP
// files.

import AHAP
import EmbeddedFiles
import Foundation

/// A named feedback pattern. The raw value is the name of the pattern on the command line and the
/// name of its file.
///
/// Each pattern has one meaning, and loses this meaning if it is played for any other purpose. The
/// patterns of one ``Family-swift.enum`` can be distinguished on the coin actuators of both kinds.
///
/// Apple publishes neither patterns nor amplitudes. These patterns were written for actuators on
/// boards; the metadata of each file states the source of its pulse count.
public enum SystemFeedback: String, CaseIterable, Sendable {
    /// A task or an action has completed.
    ///
    /// Do not play this pattern for any other outcome; a pattern for both good and bad outcomes
    /// means nothing.
    case success
    /// A task or an action has produced a warning.
    ///
    /// Do not play this pattern for an error, or an event that no task or action has caused.
    case warning
    /// An error has occurred.
    ///
    /// Do not play this pattern for a warning, or any outcome that is good.
    case error
    /// Small or lightweight objects collide, or one of them snaps into place.
    ///
    /// Do not play this pattern for a collision that nobody sees, or the outcome of a task.
    case impactLight = "impact-light"
    /// Objects of medium size or weight collide.
    ///
    /// Do not play this pattern for a collision that nobody sees, or the outcome of a task.
    case impactMedium = "impact-medium"
    /// Large or heavy objects collide.
    ///
    /// Do not play this pattern for a collision that nobody sees, or the outcome of a task.
    case impactHeavy = "impact-heavy"
    /// Hard or inflexible objects collide.
    ///
    /// Do not play this pattern for a collision that nobody sees, or the outcome of a task.
    case impactRigid = "impact-rigid"
    /// Soft or flexible objects collide.
    ///
    /// Do not play this pattern for a collision that nobody sees, or the outcome of a task.
    case impactSoft = "impact-soft"
    /// The values of a control are changing, with one pulse for each change.
    ///
    /// Do not play this pattern for the outcome of a choice, or a control whose values do not
    /// change.
    case selection
    /// A dragged item is aligned with another one, fits given dimensions, is at a preferred
    /// position, or has reached an end, a minimum or a maximum, as in a scrubber.
    ///
    /// Do not play this pattern for an event that no drag or force click has caused.
    case alignment
    /// The pressure of a finger moves from one discrete level to another, as on a button that plays
    /// faster when it is pressed harder.
    ///
    /// Do not play this pattern for pressure that changes continuously, or levels unrelated to
    /// pressure.
    case levelChange = "level-change"
    /// An event for which there is no more specific pattern.
    ///
    /// Do not play this pattern for an event that has a pattern of its own.
    case generic
    /// Something significant or out of the ordinary has happened and requires attention, such as a
    /// notification that arrives.
    ///
    /// Do not play this pattern for an ordinary event, or one that requires no attention.
    case watchNotification = "watch-notification"
    /// An important value has risen above a significant threshold.
    ///
    /// Do not play this pattern for each small rise of a value, or an unimportant threshold.
    case watchDirectionUp = "watch-direction-up"
    /// An important value has fallen below a significant threshold.
    ///
    /// Do not play this pattern for each small fall of a value, or an unimportant threshold.
    case watchDirectionDown = "watch-direction-down"
    /// An action has completed successfully.
    ///
    /// Do not play this pattern for an action that is still in progress, or any other outcome.
    case watchSuccess = "watch-success"
    /// An action has failed.
    ///
    /// If the person can try the action again, play ``watchRetry`` instead.
    case watchFailure = "watch-failure"
    /// An action has failed, but the person can try it again.
    ///
    /// If the failure is final, play ``watchFailure`` instead.
    case watchRetry = "watch-retry"
    /// An activity has started that a person can start and stop, such as a timer; ``watchStop``
    /// usually follows.
    ///
    /// Do not play this pattern for an activity that people can neither start nor stop themselves.
    case watchStart = "watch-start"
    /// An activity has stopped that the person started before, such as a timer.
    ///
    /// Do not play this pattern for an activity that began without ``watchStart``.
    case watchStop = "watch-stop"
    /// Progress has reached the next increment or interval, as on a dial that clicks.
    ///
    /// Do not play this pattern for frequent events, which weaken the effect of the click, or
    /// overlapping clicks, which confuse people.
    case watchClick = "watch-click"
    /// A dial that is turned passes a detent, or scrolls a new item onto the screen.
    ///
    /// Do not play this pattern for motion that the dial does not cause, or detents that pass too
    /// fast to be distinguished.
    case crownDetent = "crown-detent"

    /// The contents of the AHAP file.
    public var file: Data { Data(bytes) }

    /// The pattern.
    public var pattern: CHHapticPattern { CHHapticPattern(reading) }

    /// A family of patterns, which are used together on one kind of device.
    public enum Family: String, CaseIterable, Sendable {
        /// The patterns of UIKit's feedback generators.
        case iOS
        /// The patterns of a trackpad while an item is dragged or force clicked.
        case macOS
        /// The patterns of a watch and its crown.
        case watchOS
    }

    /// The family of the pattern.
    public var family: Family {
        switch self {
        case .success, .warning, .error, .impactLight, .impactMedium, .impactHeavy, .impactRigid,
            .impactSoft, .selection:
            .iOS
        case .alignment, .levelChange, .generic: .macOS
        case .watchNotification, .watchDirectionUp, .watchDirectionDown, .watchSuccess,
            .watchFailure, .watchRetry, .watchStart, .watchStop, .watchClick, .crownDetent:
            .watchOS
        }
    }

    /// True if the pattern is the click of a control, with one click for each step. Generators
    /// space clicks apart and limit their number.
    public var isClick: Bool {
        switch self {
        case .selection, .alignment, .levelChange, .watchClick, .crownDetent: true
        default: false
        }
    }

    /// A description of how the pattern feels, in one sentence.
    public var summary: String { note("Description") }

    /// The meaning of the pattern, in one sentence.
    public var meaning: String { note("Meaning") }

    /// The purposes for which the pattern must not be played, as text that completes "not for".
    public var misuse: String { note("NotFor") }

    /// The source of the pattern, in one sentence.
    public var provenance: String { note("Provenance") }

    private func note(_ key: String) -> String { reading.document.note(key) ?? "" }

    private var reading: AHAPReader.Result { Self.readings[self]! }

    /// The parsed files. The files are part of the library, and a test reads each file.
    private static let readings = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, try! AHAPReader.read($0.bytes)) })

    private var bytes: [UInt8] { EmbeddedFile.bytes("feedback/\(rawValue).ahap") }
}
