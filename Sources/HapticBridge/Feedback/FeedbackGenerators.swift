// Generators of named feedback, modelled on those of UIKit.

import Foundation
import HapticBoards
import HapticPatterns

extension HapticEngine {
    /// Plays a named pattern once, at once; see ``playPattern(from:)-(URL)``.
    ///
    /// - Parameters:
    ///   - feedback: the pattern.
    ///   - intensity: the factor by which the pattern is weaker than by itself, 0...1, such as the
    ///     pressure of a force click. Values outside the range are moved to its nearest end.
    /// - Throws: the errors of ``start()-b789``.
    public func play(_ feedback: SystemFeedback, intensity: Double = 1) throws(HapticError) {
        try core.play(feedback.heard.scaled(by: intensity))
    }
}

/// The base class of all feedback generators. Apps make instances of its subclasses.
///
/// A generator plays on the engine that it is given. Without one, all generators of the program
/// share an engine of their own on the board of ``HapticDevice/automatic``. Calls return at once.
/// If there is no board, nothing happens, as on a device without haptics. A board is looked for
/// again when something is plugged in, or after 30 s; ``HapticEngine`` reports why there is none.
///
/// Feedback is felt at once or not at all: it is dropped if it would be more than 0.1 s late, or
/// 0.3 s if the engine has to be started for it. If several calls are waiting, only the last one is
/// played. The clicks of controls, which are ``SelectionFeedbackGenerator`` and others, are kept
/// apart and rare; see <doc:UsingFeedbackSparingly>.
///
/// The methods that take a location on the screen exist for compatibility with UIKit; the location
/// has no effect.
public class FeedbackGenerator: @unchecked Sendable {
    // Neither this class nor its subclasses have any state that changes without a lock.
    let player: FeedbackPlayer

    init(engine: HapticEngine?) { player = FeedbackPlayer(engine: engine) }

    /// Starts the engine, so that feedback within the next two minutes is felt without delay.
    public func prepare() { player.prepare() }
}

/// Feedback for the outcome of a task.
public final class NotificationFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The outcome of a task, with UIKit's raw values.
    public enum FeedbackType: Int, Sendable, CaseIterable {
        case success, warning, error
    }

    /// Makes a generator that plays on `engine`, or on the shared engine if it is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback for an outcome.
    public func notificationOccurred(_ notificationType: FeedbackType) {
        switch notificationType {
        case .success: player.play(.success)
        case .warning: player.play(.warning)
        case .error: player.play(.error)
        }
    }

    /// Plays the feedback for an outcome, regardless of the location.
    public func notificationOccurred(_ notificationType: FeedbackType, at location: CGPoint) {
        notificationOccurred(notificationType)
    }
}

/// Feedback for objects that collide.
public final class ImpactFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The kind of object that collides, with UIKit's raw values.
    public enum FeedbackStyle: Int, Sendable, CaseIterable {
        case light, medium, heavy, soft, rigid
    }

    private let style: FeedbackStyle

    /// Makes a generator that plays on `engine`, or on the shared engine if it is nil.
    public init(style: FeedbackStyle = .medium, engine: HapticEngine? = nil) {
        self.style = style
        super.init(engine: engine)
    }

    /// Plays the feedback at full intensity.
    public func impactOccurred() { impactOccurred(intensity: 1) }

    /// Plays the feedback with the intensity `intensity`, 0...1. Values outside the range are moved
    /// to its nearest end.
    public func impactOccurred(intensity: CGFloat) {
        player.play(style.feedback, intensity: intensity)
    }

    /// Plays the feedback at full intensity, regardless of the location.
    public func impactOccurred(at location: CGPoint) { impactOccurred() }

    /// Plays the feedback with the intensity `intensity`, 0...1, regardless of the location.
    public func impactOccurred(intensity: CGFloat, at location: CGPoint) {
        impactOccurred(intensity: intensity)
    }
}

extension ImpactFeedbackGenerator.FeedbackStyle {
    fileprivate var feedback: SystemFeedback {
        switch self {
        case .light: .impactLight
        case .medium: .impactMedium
        case .heavy: .impactHeavy
        case .soft: .impactSoft
        case .rigid: .impactRigid
        }
    }
}

/// Feedback for a selection that changes.
public final class SelectionFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// Makes a generator that plays on `engine`, or on the shared engine if it is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback for a change of selection.
    public func selectionChanged() { player.play(.selection) }

    /// Plays the feedback for a change of selection, regardless of the location.
    public func selectionChanged(at location: CGPoint) { selectionChanged() }
}
