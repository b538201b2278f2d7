// FeedbackQueue: plays feedback immediately or not at all, and never blocks the caller.

import BridgeLink
import HapticPatterns
import SerialPorts

/// A queue that plays feedback on an engine.
final class FeedbackQueue: Sendable {
    private struct State {
        /// The feedback to play next; nil if no feedback is queued.
        var next: Feedback?
        /// True if feedback is being played.
        var isBusy = false
        var clicks = ClickLimiter()
        var failure: Failure?
    }

    private struct Feedback {
        /// The pattern; nil if the engine is only to be started.
        var pattern: HapticPattern?
        /// The host time after which the feedback is discarded.
        var deadline: HostTime
    }

    /// A failed start. Another start is attempted only after the ports have changed or the time
    /// `until` has been reached.
    private struct Failure: Equatable {
        var ports: FolderStamp?
        var until: HostTime
    }

    private let core: EngineCore
    private let state = LockedValue(State())
    private let queue = hostClock.makeQueue("haptic-bridge.feedback")

    /// The maximum delay at which feedback still counts as a response to an action, in
    /// microseconds.
    private static let latest: Microseconds = 100_000
    /// The maximum delay of feedback for which the engine must be started first, in microseconds. A
    /// start alone takes as long as `latest`.
    private static let latestAtStart: Microseconds = 300_000
    private static let failureLasts: Microseconds = 30_000_000

    init(_ core: EngineCore) { self.core = core }

    /// Starts the engine without playing anything.
    func prepare() { add(nil) }

    /// Plays a pattern. A click is omitted if it would fuse with the preceding click, or if there
    /// have been too many clicks.
    func play(_ pattern: HapticPattern, isClick: Bool = false) { add(pattern, isClick: isClick) }

    private func add(_ pattern: HapticPattern?, isClick: Bool = false) {
        let isRunning = core.isRunning
        if !isRunning, hasFailed { return }
        let latest = isRunning ? Self.latest : Self.latestAtStart
        let now = Link.now()
        let feedback = Feedback(pattern: pattern, deadline: now + latest)
        let spacing = isClick ? core.clickSpacing : 0
        let mustRun = state.withLock { state in
            if isClick {
                state.clicks.spacing = spacing
                guard state.clicks.click(at: now.microseconds) == .plays else { return false }
            }
            if pattern != nil || state.next == nil { state.next = feedback }
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustRun { queue.async { self.run() } }
    }

    /// True if a start has failed recently and the ports have not changed since.
    var hasFailed: Bool {
        guard let failure = state.withLock({ $0.failure }) else { return false }
        return Link.now() < failure.until && failure.ports == FolderStamp("/dev")
    }

    private func run() {
        while let feedback = removeNext() { play(feedback) }
    }

    private func removeNext() -> Feedback? {
        state.withLock { state in
            defer { state.next = nil }
            state.isBusy = state.next != nil
            return state.next
        }
    }

    private func play(_ feedback: Feedback) {
        let ports = FolderStamp("/dev")
        do {
            try core.start()
            state.withLock { $0.failure = nil }
        } catch {
            let failure = Failure(ports: ports, until: Link.now() + Self.failureLasts)
            state.withLock { $0.failure = failure }
            return
        }
        guard let pattern = feedback.pattern, Link.now() <= feedback.deadline else { return }
        try? core.play(pattern)
    }
}
