// SystemFeedback: the named patterns that systems play, as AHAP files of our own.

import AHAP
import Foundation

/// A named pattern. The raw value is its name at the command line and that of its file.
///
/// Apple publishes neither patterns nor amplitudes. These were written for actuators on boards; the
/// metadata of each file says where its pulse count comes from.
public enum SystemFeedback: String, CaseIterable, Sendable {
    /// Notification: a task is done.
    case success
    /// Notification: a task has produced a warning.
    case warning
    /// Notification: a task has failed.
    case error
    /// A collision of small or light things.
    case impactLight = "impact-light"
    /// A collision of middling things.
    case impactMedium = "impact-medium"
    /// A collision of big or heavy things.
    case impactHeavy = "impact-heavy"
    /// A collision of hard things.
    case impactRigid = "impact-rigid"
    /// A collision of soft things.
    case impactSoft = "impact-soft"
    /// A selection is changing.
    case selection
    /// A dragged thing meets its place.
    case alignment
    /// Movement between levels of pressure.
    case levelChange = "level-change"
    /// What has no feedback of its own.
    case generic
    /// watchOS: something important has happened.
    case watchNotification = "watch-notification"
    /// watchOS: a value has risen past a threshold.
    case watchDirectionUp = "watch-direction-up"
    /// watchOS: a value has fallen past a threshold.
    case watchDirectionDown = "watch-direction-down"
    /// watchOS: an action is done.
    case watchSuccess = "watch-success"
    /// watchOS: an action has failed.
    case watchFailure = "watch-failure"
    /// watchOS: an action has failed and may be tried again.
    case watchRetry = "watch-retry"
    /// watchOS: an activity begins.
    case watchStart = "watch-start"
    /// watchOS: an activity ends.
    case watchStop = "watch-stop"
    /// watchOS: a click.
    case watchClick = "watch-click"
    /// A dial passes a detent.
    case crownDetent = "crown-detent"

    /// The AHAP file.
    public var file: Data { Data(bytes) }

    /// The pattern.
    public var pattern: CHHapticPattern { CHHapticPattern(reading) }

    /// What it says, in a sentence.
    public var summary: String { note("Description") }

    /// Where it comes from, in a sentence.
    public var provenance: String { note("Provenance") }

    private func note(_ key: String) -> String {
        guard case .object(let notes)? = reading.document.metadata?.kind,
            case .string(let text)? = notes[key]?.kind
        else { return "" }
        return text
    }

    private var reading: AHAPReader.Result { Self.readings[self]! }

    /// The files are part of the library, and a test reads each of them.
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
