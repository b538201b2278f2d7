// The feedback of trackpads, with the names and raw values of AppKit.

import HapticBridge

/// An object that plays the feedback of a trackpad: AppKit's protocol.
public protocol NSHapticFeedbackPerformer: AnyObject {
    /// Plays the feedback for a drag operation or a force click.
    ///
    /// - Parameters:
    ///   - pattern: the meaning of the event.
    ///   - performanceTime: the time at which it is to be felt.
    func perform(
        _ pattern: NSHapticFeedbackManager.FeedbackPattern,
        performanceTime: NSHapticFeedbackManager.PerformanceTime)
}

/// Provides the performer of trackpad feedback, as AppKit's class of that name does.
///
/// A performer returns at once, and does nothing if there is no board (``FeedbackGenerator``). AppKit's
/// patterns have no strength. ``NamedFeedbackGenerator`` plays the same patterns as strongly as it is
/// told.
public final class NSHapticFeedbackManager: Sendable {
    /// The meaning of trackpad feedback, with AppKit's raw values.
    public enum FeedbackPattern: Int, Sendable, CaseIterable {
        /// An event for which no other pattern is meant: ``SystemFeedback/generic``.
        case generic = 0
        /// A dragged item is aligned: ``SystemFeedback/alignment``.
        case alignment = 1
        /// The pressure has reached another level: ``SystemFeedback/levelChange``.
        case levelChange = 2
    }

    /// The time at which feedback is to be felt, with AppKit's raw values. There is no screen here
    /// with which it could be synchronized, so all of them are as soon as possible.
    public enum PerformanceTime: UInt, Sendable, CaseIterable {
        /// The time that suits most events; in AppKit, when the screen was drawn.
        case `default` = 0
        /// At once.
        case now = 1
        /// The time when the screen was drawn; here at once too.
        case drawCompleted = 2
    }

    /// The performer that plays on the shared engine of generators.
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
