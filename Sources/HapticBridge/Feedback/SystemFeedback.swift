// SystemFeedback: the named feedback patterns of operating systems, as AHAP files of this project.

import AHAP
import EmbeddedFiles
import Foundation

/// A named feedback pattern. The raw value is its name on the command line and the name of its
/// file.
///
/// Each pattern has one meaning, which users learn only if it is used for nothing else. The
/// patterns of one ``Family-swift.enum`` can be distinguished on coin actuators of both kinds.
///
/// Apple publishes neither patterns nor amplitudes. These patterns were designed for actuators on
/// boards. The metadata of each file states the source of its pulse count.
public enum SystemFeedback: String, CaseIterable, Sendable {
    /// A task or an action has completed.
    ///
    /// Not for any other outcome: users learn nothing from a pattern that reports success and
    /// failure alike.
    case success
    /// A task or an action has produced a warning.
    ///
    /// Not for an error, or for an event that no task or action has caused.
    case warning
    /// An error has occurred.
    ///
    /// Not for a warning, or for a good outcome.
    case error
    /// Small or lightweight objects collide, or a small object snaps into place.
    ///
    /// Not for a collision that is not visible, or for the outcome of a task.
    case impactLight = "impact-light"
    /// Objects of medium size or weight collide.
    ///
    /// Not for a collision that is not visible, or for the outcome of a task.
    case impactMedium = "impact-medium"
    /// Large or heavy objects collide.
    ///
    /// Not for a collision that is not visible, or for the outcome of a task.
    case impactHeavy = "impact-heavy"
    /// Hard or inflexible objects collide.
    ///
    /// Not for a collision that is not visible, or for the outcome of a task.
    case impactRigid = "impact-rigid"
    /// Soft or flexible objects collide.
    ///
    /// Not for a collision that is not visible, or for the outcome of a task.
    case impactSoft = "impact-soft"
    /// The values of a control are changing, with one pulse for each change.
    ///
    /// Not for the outcome of a choice, or for a control whose values do not change.
    case selection
    /// A dragged item aligns with another item, fits given dimensions, is at a preferred position,
    /// or has reached an end, a minimum or a maximum, as in a scrubber.
    ///
    /// Not for an event that no drag or force click has caused.
    case alignment
    /// The pressure of a finger moves from one discrete level to another, as on a button that plays
    /// faster when it is pressed harder.
    ///
    /// Not for pressure that changes continuously, or for levels that are unrelated to pressure.
    case levelChange = "level-change"
    /// An event for which no other pattern is intended.
    ///
    /// Not for an event that has a pattern of its own.
    case generic
    /// Something significant or unusual has happened and requires attention, such as an incoming
    /// notification.
    ///
    /// Not for an ordinary event, or for an event that requires no attention.
    case watchNotification = "watch-notification"
    /// An important value has risen above a significant threshold.
    ///
    /// Not for every small rise of a value, or for an unimportant threshold.
    case watchDirectionUp = "watch-direction-up"
    /// An important value has fallen below a significant threshold.
    ///
    /// Not for every small fall of a value, or for an unimportant threshold.
    case watchDirectionDown = "watch-direction-down"
    /// An action has completed successfully.
    ///
    /// Not for an action that is still in progress, or for any other outcome.
    case watchSuccess = "watch-success"
    /// An action has failed.
    ///
    /// Not for an action that the user can try again; use ``watchRetry`` instead.
    case watchFailure = "watch-failure"
    /// An action has failed, but the user can try it again.
    ///
    /// Not for a final failure; use ``watchFailure`` instead.
    case watchRetry = "watch-retry"
    /// An activity that the user can start and stop, such as a timer, has started. ``watchStop``
    /// usually follows.
    ///
    /// Not for an activity that users cannot start or stop themselves.
    case watchStart = "watch-start"
    /// An activity that the user started earlier, such as a timer, has stopped.
    ///
    /// Not for an activity that began without ``watchStart``.
    case watchStop = "watch-stop"
    /// Progress has reached the next of several predefined increments or intervals, like a dial
    /// that clicks.
    ///
    /// Not for frequent events, which make the click meaningless, or for overlapping clicks, which
    /// confuse users.
    case watchClick = "watch-click"
    /// A dial that the user turns passes a detent, or scrolls a new item onto the screen.
    ///
    /// Not for content that moves without the dial, or for detents that pass too fast to be
    /// distinguished.
    case crownDetent = "crown-detent"

    /// The content of the AHAP file.
    public var file: Data { Data(bytes) }

    /// The pattern as read from the AHAP file.
    public var pattern: CHHapticPattern { CHHapticPattern(reading) }

    /// A group of patterns that occur together on one kind of device.
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

    /// True if the pattern is the click of a control, which plays once for each step. Generators
    /// space clicks apart and limit their number.
    public var isClick: Bool {
        switch self {
        case .selection, .alignment, .levelChange, .watchClick, .crownDetent: true
        default: false
        }
    }

    /// A sentence that describes how the pattern feels.
    public var summary: String { note("Description") }

    /// A sentence that states the meaning of the pattern.
    public var meaning: String { note("Meaning") }

    /// The uses to avoid: words that complete "not for".
    public var misuse: String { note("NotFor") }

    /// A sentence that names the source of the pattern.
    public var provenance: String { note("Provenance") }

    private func note(_ key: String) -> String { reading.document.note(key) ?? "" }

    private var reading: AHAPReader.Result { Self.readings[self]! }

    /// The parsed files. They are part of the library, and a test reads each of them.
    private static let readings = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, try! AHAPReader.read($0.bytes)) })

    private var bytes: [UInt8] { EmbeddedFile.bytes("feedback/\(rawValue).ahap") }
}
