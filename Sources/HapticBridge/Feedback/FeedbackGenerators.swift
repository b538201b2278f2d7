// Generators of named feedback, modeled on those of UIKit.

import Foundation
import HapticBoards
import HapticPatterns

extension HapticEngine {
    /// Plays a named pattern once, starting immediately; see ``playPattern(from:)-(URL)``.
    ///
    /// - Parameters:
    ///   - feedback: the pattern.
    ///   - intensity: the factor that scales the intensity of the pattern, 0...1, such as the
    ///     pressure of a force click. Values outside the range are clamped.
    /// - Throws: the errors of ``start()-b789``.
    public func play(_ feedback: SystemFeedback, intensity: Double = 1) throws(HapticError) {
        try core.play(feedback.audible.scaled(by: intensity))
    }
}

/// The base class of all feedback generators. Apps create instances of its subclasses.
///
/// A generator plays on the engine that was passed to its initializer. All generators without an
/// engine share one engine of the program on the board of ``HapticDevice/automatic``. Calls return
/// immediately. If there is no board, nothing happens, as on a device without haptics. The search
/// for a board is repeated when a device is plugged in, or after 30 s. ``HapticEngine`` reports why
/// there is no board.
///
/// Feedback is played immediately or not at all: feedback is discarded if it would be late by more
/// than 0.1 s, or by more than 0.3 s if the engine must be started first. If more than one call is
/// waiting, only the last call is played. The clicks of controls, such as those of
/// ``SelectionFeedbackGenerator``, are spaced apart and limited in number; see
/// <doc:UsingFeedbackSparingly>.
///
/// The methods with a location on the screen exist for compatibility with UIKit; the location is
/// ignored.
public class FeedbackGenerator: @unchecked Sendable {
    // The only stored property. No state of this class or of its subclasses changes without a lock.
    let player: FeedbackPlayer

    init(engine: HapticEngine?) { player = FeedbackPlayer(engine: engine) }

    /// Starts the engine, so that feedback within the next two minutes plays without delay.
    public func prepare() { player.prepare() }
}

/// A generator of feedback for the outcome of a task.
public final class NotificationFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The outcome of a task, with UIKit's raw values.
    public enum FeedbackType: Int, Sendable, CaseIterable {
        case success, warning, error
    }

    /// Creates a generator that plays on `engine`, or on the shared engine if `engine` is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback for an outcome.
    public func notificationOccurred(_ notificationType: FeedbackType) {
        switch notificationType {
        case .success: player.play(.success)
        case .warning: player.play(.warning)
        case .error: player.play(.error)
        }
    }

    /// Plays the feedback for an outcome. The location is ignored.
    public func notificationOccurred(_ notificationType: FeedbackType, at location: CGPoint) {
        notificationOccurred(notificationType)
    }
}

/// A generator of feedback for objects that collide.
public final class ImpactFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// The kind of object that collides, with UIKit's raw values.
    public enum FeedbackStyle: Int, Sendable, CaseIterable {
        case light, medium, heavy, soft, rigid
    }

    private let style: FeedbackStyle

    /// Creates a generator that plays on `engine`, or on the shared engine if `engine` is nil.
    public init(style: FeedbackStyle = .medium, engine: HapticEngine? = nil) {
        self.style = style
        super.init(engine: engine)
    }

    /// Plays the feedback at full intensity.
    public func impactOccurred() { impactOccurred(intensity: 1) }

    /// Plays the feedback with the intensity `intensity`, 0...1. Values outside the range are
    /// clamped.
    public func impactOccurred(intensity: CGFloat) {
        player.play(style.feedback, intensity: intensity)
    }

    /// Plays the feedback at full intensity. The location is ignored.
    public func impactOccurred(at location: CGPoint) { impactOccurred() }

    /// Plays the feedback with the intensity `intensity`, 0...1. The location is ignored.
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

/// A generator of feedback for a selection that changes.
public final class SelectionFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// Creates a generator that plays on `engine`, or on the shared engine if `engine` is nil.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback for a change of selection.
    public func selectionChanged() { player.play(.selection) }

    /// Plays the feedback for a change of selection. The location is ignored.
    public func selectionChanged(at location: CGPoint) { selectionChanged() }
}
