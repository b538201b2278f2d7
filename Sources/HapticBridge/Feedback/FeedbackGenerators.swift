// Generators of named feedback, in the shapes of UIKit's.

import AHAP

extension HapticEngine {
    /// Plays a named pattern once, now; see ``playPattern(from:)-(URL)``.
    ///
    /// - Throws: as ``start()-b789``.
    public func play(_ feedback: SystemFeedback) throws { try play(feedback.pattern) }
}

/// Feedback for how a task has gone.
///
/// As all generators it plays on the engine that is given to it; else on those of the program that
/// run on the board of ``HapticDevice/automatic``; else on one of its own there, which stops as soon
/// as another one is started. Calls return at once. Where there is no board nothing happens, as on
/// a device without haptics; ``HapticEngine`` says why.
public final class NotificationFeedbackGenerator: Sendable {
    /// How it has gone, with UIKit's raw values.
    public enum FeedbackType: Int, Sendable, CaseIterable {
        case success, warning, error
    }

    private let player: FeedbackPlayer

    /// Makes a generator that plays on `engine`, or on the shared one.
    public init(engine: HapticEngine? = nil) { player = FeedbackPlayer(engine: engine) }

    /// Starts the engine, so that what comes within two minutes is felt without delay.
    public func prepare() { player.prepare() }

    /// Plays the feedback of a type.
    public func notificationOccurred(_ notificationType: FeedbackType) {
        switch notificationType {
        case .success: player.play(.success)
        case .warning: player.play(.warning)
        case .error: player.play(.error)
        }
    }
}

/// Feedback for things that collide.
public final class ImpactFeedbackGenerator: Sendable {
    /// What collides, with UIKit's raw values.
    public enum FeedbackStyle: Int, Sendable, CaseIterable {
        case light, medium, heavy, soft, rigid
    }

    private let style: FeedbackStyle
    private let player: FeedbackPlayer

    /// Makes a generator that plays on `engine`, or on the shared one.
    public init(style: FeedbackStyle = .medium, engine: HapticEngine? = nil) {
        self.style = style
        player = FeedbackPlayer(engine: engine)
    }

    /// Starts the engine, so that what comes within two minutes is felt without delay.
    public func prepare() { player.prepare() }

    /// Plays the feedback, as strong as `intensity` says: 0...1, and what is beyond is taken as the
    /// nearest of them.
    public func impactOccurred(intensity: Double = 1) {
        player.play(style.feedback, intensity: intensity)
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
public final class SelectionFeedbackGenerator: Sendable {
    private let player: FeedbackPlayer

    /// Makes a generator that plays on `engine`, or on the shared one.
    public init(engine: HapticEngine? = nil) { player = FeedbackPlayer(engine: engine) }

    /// Starts the engine, so that what comes within two minutes is felt without delay.
    public func prepare() { player.prepare() }

    /// Plays the feedback.
    public func selectionChanged() { player.play(.selection) }
}

/// UIKit's spelling.
public typealias UINotificationFeedbackGenerator = NotificationFeedbackGenerator
/// UIKit's spelling.
public typealias UIImpactFeedbackGenerator = ImpactFeedbackGenerator
/// UIKit's spelling.
public typealias UISelectionFeedbackGenerator = SelectionFeedbackGenerator

/// Plays feedback without making its caller wait.
private struct FeedbackPlayer: Sendable {
    let engine: HapticEngine?

    func prepare() { perform { try $0.start() as Void } }

    func play(_ feedback: SystemFeedback, intensity: Double = 1) {
        let events = feedback.pattern.events.map { event in
            var event = event
            event.intensity *= min(max(intensity, 0), 1)
            return event
        }
        perform { try $0.play(HapticPattern(events: events, parameters: [])) }
    }

    private func perform(_ action: @escaping @Sendable (HapticEngine) throws -> Void) {
        if let engine {
            engine.feedback.async { try? action(engine) }
        } else {
            SharedFeedback.standard.perform(action)
        }
    }
}

/// Who plays for generators without an engine.
struct SharedFeedback: Sendable {
    static let standard = SharedFeedback(on: .automatic)

    /// Plays where no other engine does.
    private let engine: HapticEngine

    init(on device: HapticDevice) {
        engine = HapticEngine(device: device, locality: .default, givesWay: true)
        engine.isAutoShutdownEnabled = true
    }

    func perform(_ action: @escaping @Sendable (HapticEngine) throws -> Void) {
        engine.feedback.async { [engine] in
            let others = BoardLoop.engines(on: engine.device).filter { other in
                !other.givesWay && other.state.withLock { [.starting, .running].contains($0.run) }
            }
            for engine in others.isEmpty ? [engine] : others { try? action(engine) }
        }
    }
}
