// EngineState: the state of an engine, which its lock protects.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import Logging

/// The state of an engine, which its lock protects.
struct EngineState {
    enum Run {
        case stopped
        case starting
        case running
        case stopping
        /// The board was reset, and the engine waits to be started.
        case reset
    }

    var run = Run.stopped
    var mailbox: EngineMailbox?
    /// The number of starts so far. In each run, players introduce themselves again.
    var runNumber = 0
    /// The number of resets so far. Players do not survive a reset.
    var resets = 0
    /// The reason why the engine is being stopped; nil if the app asked for it.
    var stopReason: HapticEngine.StoppedReason?
    /// The error with which the last run ended; nil if there is none, and while the engine runs.
    var failure: HapticError?
    /// True if the last run has ended, or is about to end, because nothing was playing.
    var isShutDown = false
    /// True if the app has released the engine, which then does not start again.
    var isDestroyed = false

    /// The reason why the present run is a preview in place of a board; nil if it is not.
    var previewReason: HapticError?
    /// The place at which the board was last found.
    var place: BoardPlace?
    /// The board of the last run; nil before the first, and for a preview.
    var board: StartedBoard?
    /// The profile for which the last run rendered; a coin LRA before the first.
    var profile = DeviceProfile.lra
    var statistics = HapticEngine.Statistics()
    /// True if the engine waits for a board that is gone.
    var reconnects = false
    /// The number of the present wait for the board; nil if there is none.
    var absence: Int?
    var absences = 0

    var startWaiters: [Waiter] = []
    /// The starts that wait for the end of a stop.
    var queuedStarts: [Waiter] = []
    var lastWaiter = 0
    var stopHandlers: [Handler<HapticEngine.CompletionHandler>] = []
    var finishedHandlers: [Handler<HapticEngine.FinishedHandler>] = []
    var completionHandlers: [PlayerID: Handler<HapticAdvancedPatternPlayerCompletionHandler>] = [:]
    var resetHandler = Handler<HapticEngine.ResetHandler> {}
    var stoppedHandler = Handler<HapticEngine.StoppedHandler> { _ in }
    var logger: Logger?
    /// The app's sequences of events, by number.
    var observers: [Int: AsyncStream<HapticEngine.Event>.Continuation] = [:]
    var lastObserver = 0
    /// The waiters for the end of each player.
    var endWaiters: [PlayerID: [Waiter]] = [:]
    /// Objects of the app that the engine lets go of, kept until the lock is free.
    var discarded: [any Sendable] = []

    /// The players that were started and are not over.
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
    /// The time without playing after which the engine shuts down, in microseconds.
    var shutdownDelay: Microseconds = 120_000_000
    /// The time by which sound is later than its device says, in microseconds; nil for the user's
    /// setting.
    var audioDelay: Duration?

    var isMuted: Bool { isMutedForHaptics || playsAudioOnly }
    var idleTimeout: Microseconds? { isAutoShutdownEnabled ? shutdownDelay : nil }

    /// Keeps an object of the app until the lock is free, and then releases it.
    mutating func discard(_ item: (any Sendable)?) {
        if let item { discarded.append(item) }
    }

    /// Removes and returns all items of a list. They are released once the lock is free.
    mutating func take<Item: Sendable>(_ items: WritableKeyPath<Self, [Item]>) -> [Item] {
        let taken = self[keyPath: items]
        self[keyPath: items] = []
        discarded.append(taken)
        return taken
    }
}
