// FeedbackQueue: feedback that is felt at once or not at all, and never makes its caller wait.

import AHAP
import BridgeLink
import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Plays feedback on an engine, or where that gives way on those that play on its board.
final class FeedbackQueue: Sendable {
    private struct State {
        /// What is done next, if anything.
        var next: Feedback?
        /// Whether something is being done.
        var isBusy = false
        var failure: Failure?
    }

    private struct Feedback {
        /// nil: the engine is only started.
        var pattern: HapticPattern?
        /// When it is too late for it.
        var deadline: Microseconds
    }

    /// A start that failed: there is no other until something was plugged in, or for a while.
    private struct Failure: Equatable {
        var ports: FolderStamp?
        var until: Microseconds
    }

    private let core: EngineCore
    private let state = Guarded(State())
    private let queue = DispatchQueue(label: "haptic-bridge.feedback")

    /// Later than this, feedback is no answer to what was done.
    private static let latest: Microseconds = 100_000
    /// And where the engine has to be started first, which takes as long by itself.
    private static let latestAtStart: Microseconds = 300_000
    private static let failureLasts: Microseconds = 30_000_000

    init(_ core: EngineCore) { self.core = core }

    /// Starts the engine.
    func prepare() { add(nil) }

    func play(_ pattern: HapticPattern) { add(pattern) }

    private func add(_ pattern: HapticPattern?) {
        let isRunning = core.isRunning || !others.isEmpty
        if !isRunning, hasFailed { return }
        let latest = isRunning ? Self.latest : Self.latestAtStart
        let feedback = Feedback(pattern: pattern, deadline: Link.now() + latest)
        let mustRun = state.withLock { state in
            if pattern != nil || state.next == nil { state.next = feedback }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustRun { queue.async { self.run() } }
    }

    /// Whether a start has failed, and nothing has changed since then.
    var hasFailed: Bool {
        guard let failure = state.withLock({ $0.failure }) else { return false }
        return Link.now() < failure.until && failure.ports == FolderStamp("/dev")
    }

    /// The engines that play instead.
    private var others: [EngineCore] {
        guard core.givesWay else { return [] }
        return BoardLoop.engines(on: core.device).filter { other in
            !other.givesWay && other.state.withLock { [.starting, .running].contains($0.run) }
        }
    }

    private func run() {
        while let feedback = takeNext() {
            let others = others
            for engine in others.isEmpty ? [core] : others { play(feedback, on: engine) }
        }
    }

    private func takeNext() -> Feedback? {
        state.withLock { state in
            defer { state.next = nil }
            state.isBusy = state.next != nil
            return state.next
        }
    }

    private func play(_ feedback: Feedback, on engine: EngineCore) {
        let ports = FolderStamp("/dev")
        do {
            try engine.start()
            if engine === core { state.withLock { $0.failure = nil } }
        } catch {
            let failure = Failure(ports: ports, until: Link.now() + Self.failureLasts)
            if engine === core { state.withLock { $0.failure = failure } }
            return
        }
        guard let pattern = feedback.pattern, Link.now() <= feedback.deadline else { return }
        try? engine.play(pattern)
    }
}

/// When something was added to a folder last, or taken away: one call of the system.
private struct FolderStamp: Equatable {
    private let seconds: Int
    private let nanoseconds: Int

    /// nil if there is no such folder.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
}
