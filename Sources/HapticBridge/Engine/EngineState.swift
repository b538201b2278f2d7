// EngineState: what an engine knows, under its lock.

import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an engine knows, under its lock.
struct EngineState {
    enum Run {
        case stopped
        case starting
        case running
        case stopping
        /// The board was reset and waits for a start.
        case reset
    }

    var run = Run.stopped
    var mailbox: EngineMailbox?
    /// Starts so far: players introduce themselves anew in each run.
    var runNumber = 0
    /// Resets so far: players do not survive one.
    var resets = 0
    /// Why the engine is to stop, if not by the app.
    var stopReason: HapticEngine.StoppedReason?
    /// Whether the last run ended because nothing played, or is about to.
    var isShutDown = false
    /// Whether the app has let go of the engine: it does not start again.
    var isDestroyed = false

    var startWaiters: [StartWaiter] = []
    /// Starts that wait for the end of a stop.
    var queuedStarts: [StartWaiter] = []
    var lastWaiter = 0
    var stopHandlers: [HapticEngine.CompletionHandler] = []
    var finishedHandlers: [HapticEngine.FinishedHandler] = []
    var completionHandlers: [PlayerID: HapticAdvancedPatternPlayerCompletionHandler] = [:]
    var resetHandler: HapticEngine.ResetHandler = {}
    var stoppedHandler: HapticEngine.StoppedHandler = { _ in }
    /// What the app gave and the engine lets go of, until the lock is free.
    var discarded: [any Sendable] = []

    /// Players that were started and are not over.
    var active: Set<PlayerID> = []
    /// Those of them that the app has let go of.
    var released: Set<PlayerID> = []
    var lastPlayer: UInt64 = 0
    var sounds: [CHHapticAudioResourceID: URL] = [:]
    var lastSound = 0

    var isAutoShutdownEnabled = false
    var playsHapticsOnly = false
    var isMutedForHaptics = false
    var isMutedForAudio = false
    /// How long nothing plays before the engine shuts down.
    var shutdownDelay: Microseconds = 120_000_000

    var idleTimeout: Microseconds? { isAutoShutdownEnabled ? shutdownDelay : nil }

    /// Takes what is there and leaves nothing. It is released after the lock.
    mutating func take<Item: Sendable>(_ items: WritableKeyPath<Self, [Item]>) -> [Item] {
        let taken = self[keyPath: items]
        self[keyPath: items] = []
        discarded.append(taken)
        return taken
    }
}

/// Someone who waits for a start, and is told once: on any thread, under the engine's lock.
struct StartWaiter: Sendable {
    let number: Int
    let tell: @Sendable ((any Error)?) -> Void
}
