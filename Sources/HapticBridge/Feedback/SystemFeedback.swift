// SystemFeedback: the named feedback patterns of operating systems, as this project's own AHAP
// files.

import AHAP
import Foundation

/// A named feedback pattern. The raw value is its name on the command line and that of its file.
///
/// Apple publishes neither patterns nor amplitudes. These patterns were written for actuators on
/// boards; the metadata of each file states the source of its pulse count.
public enum SystemFeedback: String, CaseIterable, Sendable {
    /// A notification that a task is done.
    case success
    /// A notification that a task has produced a warning.
    case warning
    /// A notification that a task has failed.
    case error
    /// A collision of small or light objects.
    case impactLight = "impact-light"
    /// A collision of medium-sized objects.
    case impactMedium = "impact-medium"
    /// A collision of large or heavy objects.
    case impactHeavy = "impact-heavy"
    /// A collision of hard objects.
    case impactRigid = "impact-rigid"
    /// A collision of soft objects.
    case impactSoft = "impact-soft"
    /// A selection that is changing.
    case selection
    /// A dragged object that reaches its place.
    case alignment
    /// A movement between levels of pressure.
    case levelChange = "level-change"
    /// An event that has no feedback of its own.
    case generic
    /// The watchOS feedback for an important event.
    case watchNotification = "watch-notification"
    /// The watchOS feedback for a value that has risen past a threshold.
    case watchDirectionUp = "watch-direction-up"
    /// The watchOS feedback for a value that has fallen past a threshold.
    case watchDirectionDown = "watch-direction-down"
    /// The watchOS feedback for an action that is done.
    case watchSuccess = "watch-success"
    /// The watchOS feedback for an action that has failed.
    case watchFailure = "watch-failure"
    /// The watchOS feedback for an action that has failed and may be tried again.
    case watchRetry = "watch-retry"
    /// The watchOS feedback for an activity that begins.
    case watchStart = "watch-start"
    /// The watchOS feedback for an activity that ends.
    case watchStop = "watch-stop"
    /// The watchOS feedback for a click.
    case watchClick = "watch-click"
    /// A dial that passes a detent.
    case crownDetent = "crown-detent"

    /// The contents of the AHAP file.
    public var file: Data { Data(bytes) }

    /// The pattern.
    public var pattern: CHHapticPattern { CHHapticPattern(reading) }

    /// The description of the pattern, in one sentence.
    public var summary: String { note("Description") }

    /// The source of the pattern, in one sentence.
    public var provenance: String { note("Provenance") }

    private func note(_ key: String) -> String {
        guard case .object(let notes)? = reading.document.metadata?.kind,
            case .string(let text)? = notes[key]?.kind
        else { return "" }
        return text
    }

    private var reading: AHAPReader.Result { Self.readings[self]! }

    /// The files as read. They are part of the library, and a test reads each of them.
    private static let readings = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, try! AHAPReader.read($0.bytes)) })

    private var bytes: [UInt8] {
        switch self {
        case .success: PackageResources.success_ahap
        case .warning: PackageResources.warning_ahap
        case .error: PackageResources.error_ahap
        case .impactLight: PackageResources.impact_light_ahap
        case .impactMedium: PackageResources.impact_medium_ahap
        case .impactHeavy: PackageResources.impact_heavy_ahap
        case .impactRigid: PackageResources.impact_rigid_ahap
        case .impactSoft: PackageResources.impact_soft_ahap
        case .selection: PackageResources.selection_ahap
        case .alignment: PackageResources.alignment_ahap
        case .levelChange: PackageResources.level_change_ahap
        case .generic: PackageResources.generic_ahap
        case .watchNotification: PackageResources.watch_notification_ahap
        case .watchDirectionUp: PackageResources.watch_direction_up_ahap
        case .watchDirectionDown: PackageResources.watch_direction_down_ahap
        case .watchSuccess: PackageResources.watch_success_ahap
        case .watchFailure: PackageResources.watch_failure_ahap
        case .watchRetry: PackageResources.watch_retry_ahap
        case .watchStart: PackageResources.watch_start_ahap
        case .watchStop: PackageResources.watch_stop_ahap
        case .watchClick: PackageResources.watch_click_ahap
        case .crownDetent: PackageResources.crown_detent_ahap
        }
    }
}
