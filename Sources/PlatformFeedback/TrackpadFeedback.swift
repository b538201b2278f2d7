// TrackpadFeedback: trackpad feedback with the names and raw values of AppKit.

import HapticBridge

/// An object that plays trackpad feedback, like AppKit's protocol of the same name.
public protocol NSHapticFeedbackPerformer: AnyObject {
    /// Plays the feedback for a drag operation or a force click.
    ///
    /// - Parameters:
    ///   - pattern: the meaning of the event.
    ///   - performanceTime: the time at which the feedback is played.
    func perform(
        _ pattern: NSHapticFeedbackManager.FeedbackPattern,
        performanceTime: NSHapticFeedbackManager.PerformanceTime)
}

/// A class that provides the performer of trackpad feedback, like AppKit's class of the same name.
///
/// The methods of a performer return immediately, and do nothing if there is no board
/// (``FeedbackGenerator``). AppKit's patterns have a fixed intensity. ``NamedFeedbackGenerator``
/// plays the same patterns with an intensity that can be selected.
public final class NSHapticFeedbackManager: Sendable {
    /// The meaning of trackpad feedback, with AppKit's raw values.
    public enum FeedbackPattern: Int, Sendable, CaseIterable {
        /// An event for which no other pattern is suitable: ``SystemFeedback/generic``.
        case generic = 0
        /// A dragged item has been aligned: ``SystemFeedback/alignment``.
        case alignment = 1
        /// The pressure has changed to another level: ``SystemFeedback/levelChange``.
        case levelChange = 2
    }

    /// The time at which feedback is played, with AppKit's raw values. In this library, feedback is
    /// not synchronized with a screen, so all of these times mean "as soon as possible".
    public enum PerformanceTime: UInt, Sendable, CaseIterable {
        /// The default time. In AppKit, the feedback is played after the screen has been drawn.
        case `default` = 0
        /// Immediately.
        case now = 1
        /// In AppKit, the feedback is played after the screen has been drawn; in this library,
        /// immediately.
        case drawCompleted = 2
    }

    /// The performer that plays feedback on the engine that all generators share.
    public static var defaultPerformer: any NSHapticFeedbackPerformer { shared }

    private static let shared = TrackpadPerformer()
}

private final class TrackpadPerformer: NSHapticFeedbackPerformer, Sendable {
    func perform(
        _ pattern: NSHapticFeedbackManager.FeedbackPattern,
        performanceTime: NSHapticFeedbackManager.PerformanceTime
    ) {
        NamedFeedbackGenerator(pattern.feedback).occurred()
    }
}

extension NSHapticFeedbackManager.FeedbackPattern {
    var feedback: SystemFeedback {
        switch self {
        case .generic: .generic
        case .alignment: .alignment
        case .levelChange: .levelChange
        }
    }
}
