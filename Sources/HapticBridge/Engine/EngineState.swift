// EngineState: what an engine knows, under its lock.

import BridgeLink
import Logging

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

    /// The place at which the board was found last.
    var place: BoardPlace?
    var statistics = HapticEngine.Statistics()
    /// Whether a board that is gone is waited for.
    var reconnects = false
    /// The number of the present wait for the board; nil: none.
    var absence: Int?
    var absences = 0

    var startWaiters: [Waiter] = []
    /// Starts that wait for the end of a stop.
    var queuedStarts: [Waiter] = []
    var lastWaiter = 0
    var stopHandlers: [Handler<HapticEngine.CompletionHandler>] = []
    var finishedHandlers: [Handler<HapticEngine.FinishedHandler>] = []
    var completionHandlers: [PlayerID: Handler<HapticAdvancedPatternPlayerCompletionHandler>] = [:]
    var resetHandler = Handler<HapticEngine.ResetHandler> {}
    var stoppedHandler = Handler<HapticEngine.StoppedHandler> { _ in }
    var logger: Logger?
    /// The app's sequences of what happens, by number.
    var observers: [Int: AsyncStream<HapticEngine.Event>.Continuation] = [:]
    var lastObserver = 0
    /// Those that wait for the end of a player.
    var endWaiters: [PlayerID: [Waiter]] = [:]
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
    var playsAudioOnly = false
    var isMutedForHaptics = false
    var isMutedForAudio = false
    /// How long nothing plays before the engine shuts down.
    var shutdownDelay: Microseconds = 120_000_000

    var isMuted: Bool { isMutedForHaptics || playsAudioOnly }
    var idleTimeout: Microseconds? { isAutoShutdownEnabled ? shutdownDelay : nil }

    /// Releases something of the app's after the lock.
    mutating func discard(_ item: (any Sendable)?) {
        if let item { discarded.append(item) }
    }

    /// Takes what is there and leaves nothing. It is released after the lock.
    mutating func take<Item: Sendable>(_ items: WritableKeyPath<Self, [Item]>) -> [Item] {
        let taken = self[keyPath: items]
        self[keyPath: items] = []
        discarded.append(taken)
        return taken
    }
}

/// Someone who waits for a start or an end, and is told once: on any thread, under the engine's lock.
struct Waiter: Sendable {
    let number: Int
    /// The absence of the board that this start is to end; nil for one that the app asked for.
    let absence: Int?
    let tell: @Sendable ((any Error)?) -> Void
}

/// A function that the app gave. Its type does not say that it may be called on another thread, as
/// Core Haptics' types do not.
///
/// Checked by hand: it is called and released on the queue `EngineCore.callbacks` alone, and otherwise
/// only copied. An app that reads it back calls it itself.
struct Handler<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
