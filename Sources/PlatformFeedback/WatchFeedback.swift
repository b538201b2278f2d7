// WatchFeedback: watch feedback with the names and raw values of WatchKit.

import HapticBridge

/// The meaning of watch feedback, with WatchKit's raw values.
public enum WKHapticType: Int, Sendable, CaseIterable {
    /// Something requires the user's attention: ``SystemFeedback/watchNotification``.
    case notification = 0
    /// A value has risen above a threshold: ``SystemFeedback/watchDirectionUp``.
    case directionUp = 1
    /// A value has fallen below a threshold: ``SystemFeedback/watchDirectionDown``.
    case directionDown = 2
    /// An action has completed: ``SystemFeedback/watchSuccess``.
    case success = 3
    /// An action has failed: ``SystemFeedback/watchFailure``.
    case failure = 4
    /// An action has failed and can be tried again: ``SystemFeedback/watchRetry``.
    case retry = 5
    /// An activity has started: ``SystemFeedback/watchStart``.
    case start = 6
    /// An activity has stopped: ``SystemFeedback/watchStop``.
    case stop = 7
    /// A dial clicks: ``SystemFeedback/watchClick``.
    case click = 8
}

/// A class that plays watch feedback on the board, like WatchKit's class of the same name.
///
/// The methods return immediately, and do nothing if there is no board (``FeedbackGenerator``).
public final class WKInterfaceDevice: Sendable {
    private static let device = WKInterfaceDevice()

    private init() {}

    /// Returns the device, which plays feedback on the engine that all generators share.
    public class func current() -> WKInterfaceDevice { device }

    /// Plays feedback of the given type. The rate of clicks is limited, as in
    /// ``SelectionFeedbackGenerator``.
    public func play(_ type: WKHapticType) { NamedFeedbackGenerator(type.feedback).occurred() }
}

extension WKHapticType {
    var feedback: SystemFeedback {
        switch self {
        case .notification: .watchNotification
        case .directionUp: .watchDirectionUp
        case .directionDown: .watchDirectionDown
        case .success: .watchSuccess
        case .failure: .watchFailure
        case .retry: .watchRetry
        case .start: .watchStart
        case .stop: .watchStop
        case .click: .watchClick
        }
    }
}
