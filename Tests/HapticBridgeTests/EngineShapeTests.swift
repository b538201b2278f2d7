// Tests that code in the forms typical of Core Haptics, UIKit and GameController compiles unchanged
// in Swift 6 mode and works as written.

import Foundation
import HapticBridge
import PlatformFeedback
import TestSupport
import Testing

/// The most common form of an app: a class that is not Sendable, and handlers that use the class.
private final class Haptics {
    var engine: CHHapticEngine?
    var resets = 0

    func prepare(at port: String) {
        engine = CHHapticEngine(device: .port(port))
        engine?.resetHandler = { [weak self] in
            self?.resets += 1
            try? self?.engine?.start()
        }
        engine?.stoppedHandler = { [weak self] reason in
            switch reason {
            case .systemError: self?.engine = nil
            case .audioSessionInterrupt, .applicationSuspended, .idleTimeout: break
            case .notifyWhenFinished, .engineDestroyed, .gameControllerDisconnect: break
            @unknown default: break
            }
        }
        engine?.start { [weak self] error in if error != nil { self?.engine = nil } }
        engine?.notifyWhenPlayersFinished { [weak self] _ in
            self?.engine = nil
            return .stopEngine
        }
    }
}

/// An actor that sets an engine's handler. The handler uses the actor.
private actor Counter {
    private(set) var stops = 0

    func watch(_ engine: CHHapticEngine) {
        engine.stoppedHandler = { _ in self.stops += 1 }
        engine.stoppedHandler(.idleTimeout)
    }
}

/// A test double of a player, as a test of an app may define it: a class that is neither final nor
/// Sendable.
private class SilentPlayer: CHHapticPatternPlayer {
    var isMuted = false
    var starts: [TimeInterval] = []

    func start(atTime time: TimeInterval) throws { starts.append(time) }
    func stop(atTime time: TimeInterval) throws {}
    func sendParameters(_ parameters: [CHHapticDynamicParameter], atTime time: TimeInterval) throws
    {
    }
    func scheduleParameterCurve(_ curve: CHHapticParameterCurve, atTime time: TimeInterval) throws {
    }
    func cancel() throws {}
}

@Suite(.virtualTime) struct EngineShapeTests {
    @Test func aHandlerUsesAClassThatIsNotSendable() throws {
        let board = try LiveBoard()
        let haptics = Haptics()
        haptics.prepare(at: board.port)
        haptics.engine?.stop()
        let stop: CHHapticEngine.StoppedHandler? = haptics.engine?.stoppedHandler
        stop?(.systemError)
        #expect(haptics.engine == nil && haptics.resets == 0)
    }

    @Test func aHandlerUsesItsActor() async throws {
        let counter = Counter()
        let engine = CHHapticEngine(device: .port("/nowhere"))
        await counter.watch(engine)
        #expect(await counter.stops == 1)
    }

    @Test func anEngineIsMadeWithoutAnAudioSession() {
        // An engine exists if and only if the capabilities report haptics, regardless of the boards
        // that are connected to this computer.
        let engine = try? CHHapticEngine(audioSession: nil)
        #expect((engine != nil) == CHHapticEngine.capabilitiesForHardware().supportsHaptics)
    }

    @Test func enginesAreKeptInSets() {
        let one = CHHapticEngine(device: .port("/nowhere"))
        let other = CHHapticEngine(device: .port("/nowhere"))
        let engines: Set = [one, other, one]
        #expect(engines.count == 2 && engines.contains(one) && one != other)
    }

    @Test @MainActor func anAppsOwnPlayerIsAPlayer() async throws {
        let silent = SilentPlayer()
        let player: any CHHapticPatternPlayer = silent
        try player.start(atTime: 0.5)
        try await player.finished
        #expect(silent.starts == [0.5])
    }

    @Test func aMutedForAudioOnlyEngineIsNotFelt() throws {
        let rig = try EngineRig()
        #expect(!rig.engine.playsAudioOnly)
        rig.engine.playsAudioOnly = true
        try rig.engine.start()
        let player = try rig.engine.makePlayer(with: .held(0.5))
        try player.start(atTime: CHHapticTimeImmediate)
        #expect(!rig.wait(seconds: 0.3) { rig.board.level > 0 })
        rig.engine.isMutedForHaptics = true
        rig.engine.isMutedForHaptics = false
        #expect(!rig.wait(seconds: 0.3) { rig.board.level > 0 })
        rig.engine.playsAudioOnly = false
        #expect(rig.wait { rig.board.level == 128 })
        try player.stop(atTime: CHHapticTimeImmediate)
        rig.engine.stop()
    }

    @Test func generatorsHaveOneBaseClass() throws {
        let board = try LiveBoard()
        let engine = CHHapticEngine(device: .port(board.port))
        let impact = UIImpactFeedbackGenerator(style: .heavy, engine: engine)
        let generators: [UIFeedbackGenerator] = [
            impact, UINotificationFeedbackGenerator(engine: engine),
            UISelectionFeedbackGenerator(engine: engine),
        ]
        for generator in generators { generator.prepare() }
        #expect(wait { engine.isRunning })
        let intensity: CGFloat = 0.5
        let place = CGPoint(x: 12, y: 34)
        impact.impactOccurred(intensity: intensity, at: place)
        #expect(wait { board.hasDriven && board.isAtRest })
        let half = board.levels(since: 0).max()!
        impact.impactOccurred(at: place)
        #expect(wait { board.levels(since: 0).max()! > half && board.isAtRest })
        for generator in generators {
            let before = board.levels(since: 0).count
            (generator as? UINotificationFeedbackGenerator)?
                .notificationOccurred(.success, at: place)
            (generator as? UISelectionFeedbackGenerator)?.selectionChanged(at: place)
            if generator === impact { continue }
            #expect(wait { board.levels(since: 0).count > before && board.isAtRest })
        }
        engine.stop()
    }
}
