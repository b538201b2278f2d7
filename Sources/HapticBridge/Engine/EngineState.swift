// EngineState: the state of an engine, protected by the engine's lock.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import Logging

/// The state of an engine, protected by the engine's lock.
struct EngineState {
    enum Run {
        case stopped
        case starting
        case running
        case stopping
        /// The board was reset, and the engine must be started again.
        case reset
    }

    var run = Run.stopped
    var mailbox: EngineMailbox?
    /// The number of starts so far. In each run, the players are sent to the board's thread again.
    var runNumber = 0
    /// The number of resets so far. A reset invalidates all players.
    var resets = 0
    /// The reason why the engine is being stopped; nil if the app requested the stop.
    var stopReason: HapticEngine.StoppedReason?
    /// The error that ended the last run; nil if there was no error or the engine is running.
    var failure: HapticError?
    /// True if the last run has ended, or is ending, because nothing was playing.
    var isShutDown = false
    /// True if the app has released the engine, which then cannot start again.
    var isDestroyed = false

    /// The reason why the current run is a preview and does not use a board; nil if the run is not
    /// a preview.
    var previewReason: HapticError?
    /// The location at which the board was last found.
    var endpoint: BoardEndpoint?
    /// The board of the last run; nil before the first run, and if the last run was a preview.
    var board: StartedBoard?
    /// The device profile of the last run; a coin LRA before the first run.
    var profile = DeviceProfile.lra
    var statistics = HapticEngine.Statistics()
    /// True if the engine, after the loss of its board, waits for the board and then restarts.
    var reconnects = false
    /// The number of the current wait for the board; nil if the engine is not waiting.
    var absence: Int?
    var absences = 0

    var startWaiters: [Waiter] = []
    /// The starts that are waiting for a stop to finish.
    var queuedStarts: [Waiter] = []
    var lastWaiter = 0
    var stopHandlers: [Handler<HapticEngine.CompletionHandler>] = []
    var finishedHandlers: [Handler<HapticEngine.FinishedHandler>] = []
    var completionHandlers: [PlayerID: Handler<HapticAdvancedPatternPlayerCompletionHandler>] = [:]
    var resetHandler = Handler<HapticEngine.ResetHandler> {}
    var stoppedHandler = Handler<HapticEngine.StoppedHandler> { _ in }
    var faultsHandler = Handler<(HapticError) -> Void> { _ in }
    var logger: Logger?
    /// The continuations of the app's event sequences, by number.
    var observers: [Int: AsyncStream<HapticEngine.Event>.Continuation] = [:]
    var lastObserver = 0
    /// The waiters for the end of each player.
    var endWaiters: [PlayerID: [Waiter]] = [:]
    /// Objects of the app that the engine has discarded, kept until the lock is released.
    var discarded: [any Sendable] = []

    /// The players that were started and have not ended.
    var active: Set<PlayerID> = []
    /// The active players that the app has released.
    var released: Set<PlayerID> = []
    var lastPlayer: UInt64 = 0
    var sounds: [CHHapticAudioResourceID: RegisteredSound] = [:]
    var lastSound = 0

    var isAutoShutdownEnabled = false
    var playsHapticsOnly = false
    var playsAudioOnly = false
    var isMutedForHaptics = false
    /// The idle time after which the engine shuts down, in microseconds.
    var shutdownDelay: Microseconds = 120_000_000
    /// The additional latency of the sound device beyond the latency that the device reports; nil
    /// to use the user's setting.
    var audioDelay: Duration?

    var isMuted: Bool { isMutedForHaptics || playsAudioOnly }
    var idleTimeout: Microseconds? { isAutoShutdownEnabled ? shutdownDelay : nil }

    /// Keeps an object of the app until the lock is released, and then releases the object.
    mutating func discard(_ item: (any Sendable)?) {
        if let item { discarded.append(item) }
    }

    /// Removes and returns all items of a list. The items are released after the lock has been
    /// released.
    mutating func removeAll<Item: Sendable>(_ items: WritableKeyPath<Self, [Item]>) -> [Item] {
        let removed = self[keyPath: items]
        self[keyPath: items] = []
        discarded.append(removed)
        return removed
    }
}
