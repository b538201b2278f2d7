// Generators of named feedback, in the shapes of UIKit's.

import AHAP
import Foundation

extension HapticEngine {
    /// Plays a named pattern once, now; see ``playPattern(from:)-(URL)``.
    ///
    /// - Throws: as ``start()-b789``.
    public func play(_ feedback: SystemFeedback) throws { try core.play(feedback.pattern.value) }
}

/// The base class of all generators of feedback; apps make generators of its subclasses.
///
/// A generator plays on the engine that is given to it; else on those of the program that
/// run on the board of ``HapticDevice/automatic``; else on one of its own there, which stops as soon
/// as another one is started. Calls return at once. Where there is no board nothing happens, as on
/// a device without haptics, and a board is looked for again when one is plugged in, or after 30 s;
/// ``HapticEngine`` says why there is none.
///
/// Feedback is felt at once or not at all: what would come more than 0.1 s late is dropped, 0.3 s where
/// the engine has to be started for it, and of several calls that wait the last one counts.
///
/// The methods that take a place on the screen are those of UIKit; the place has no effect.
public class FeedbackGenerator: @unchecked Sendable {
    // Nothing in it and in its subclasses ever changes.
    fileprivate let player: FeedbackPlayer

    fileprivate init(engine: HapticEngine?) { player = FeedbackPlayer(engine: engine) }

    /// Starts the engine, so that what comes within two minutes is felt without delay.
    public func prepare() { player.prepare() }
}

/// Feedback for how a task has gone.
public final class NotificationFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// How it has gone, with UIKit's raw values.
    public enum FeedbackType: Int, Sendable, CaseIterable {
        case success, warning, error
    }

    /// Makes a generator that plays on `engine`, or on the shared one.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback of a type.
    public func notificationOccurred(_ notificationType: FeedbackType) {
        switch notificationType {
        case .success: player.play(.success)
        case .warning: player.play(.warning)
        case .error: player.play(.error)
        }
    }

    /// Plays the feedback of a type, wherever it is.
    public func notificationOccurred(_ notificationType: FeedbackType, at location: CGPoint) {
        notificationOccurred(notificationType)
    }
}

/// Feedback for things that collide.
public final class ImpactFeedbackGenerator: FeedbackGenerator, @unchecked Sendable {
    /// What collides, with UIKit's raw values.
    public enum FeedbackStyle: Int, Sendable, CaseIterable {
        case light, medium, heavy, soft, rigid
    }

    private let style: FeedbackStyle

    /// Makes a generator that plays on `engine`, or on the shared one.
    public init(style: FeedbackStyle = .medium, engine: HapticEngine? = nil) {
        self.style = style
        super.init(engine: engine)
    }

    /// Plays the feedback.
    public func impactOccurred() { impactOccurred(intensity: 1) }

    /// Plays the feedback, as strong as `intensity` says: 0...1, and what is beyond is taken as the
    /// nearest of them.
    public func impactOccurred(intensity: CGFloat) {
        player.play(style.feedback, intensity: intensity)
    }

    /// Plays the feedback, wherever it is.
    public func impactOccurred(at location: CGPoint) { impactOccurred() }

    /// Plays the feedback, as strong as `intensity` says and wherever it is.
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
    /// Makes a generator that plays on `engine`, or on the shared one.
    public override init(engine: HapticEngine? = nil) { super.init(engine: engine) }

    /// Plays the feedback.
    public func selectionChanged() { player.play(.selection) }

    /// Plays the feedback, wherever it is.
    public func selectionChanged(at location: CGPoint) { selectionChanged() }
}

/// UIKit's spelling.
public typealias UIFeedbackGenerator = FeedbackGenerator
/// UIKit's spelling.
public typealias UINotificationFeedbackGenerator = NotificationFeedbackGenerator
/// UIKit's spelling.
public typealias UIImpactFeedbackGenerator = ImpactFeedbackGenerator
/// UIKit's spelling.
public typealias UISelectionFeedbackGenerator = SelectionFeedbackGenerator

/// What a generator says to its engine.
private struct FeedbackPlayer: Sendable {
    let engine: HapticEngine?

    func prepare() { queue.prepare() }

    func play(_ feedback: SystemFeedback, intensity: Double = 1) {
        let events = feedback.pattern.value.events.map { event in
            var event = event
            event.intensity *= min(max(intensity, 0), 1)
            return event
        }
        queue.play(HapticPattern(events: events))
    }

    private var queue: FeedbackQueue { engine?.feedback ?? Self.shared.feedback }

    private static let shared = HapticEngine.forFeedback(on: .automatic)
}

extension HapticEngine {
    /// An engine for feedback: it plays where no other engine of the program does.
    static func forFeedback(on device: HapticDevice) -> HapticEngine {
        let engine = HapticEngine(device: device, locality: .default, givesWay: true)
        engine.isAutoShutdownEnabled = true
        return engine
    }
}
