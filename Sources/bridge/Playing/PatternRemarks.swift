// PatternRemarks: what a board cannot do of a pattern, found out while it plays.

import AHAP
import HapticBridge
import SerialPorts

/// Examines patterns on a thread of its own, because a prediction may take longer than a save.
final class PatternRemarks {
    private struct State {
        /// The number of the last pattern that was given.
        var last = 0
        /// That pattern with its prediction, once it is made.
        var examined: PatternFile?
    }

    private let warnings: PlayWarnings
    private let rendering: BoardRendering
    private let port: String
    private let wakeUp: WakeUp
    private let state = LockedValue(State())
    private let queue = hostClock.makeQueue("bridge.remarks", isUtility: true)

    /// Asks a board that is served for its actuators. Returns nil if it is not served any more.
    init?(_ play: Play, _ settings: PlaySettings, at port: String, _ wakeUp: WakeUp) throws {
        warnings = PlayWarnings(output: play.output)
        (self.port, self.wakeUp) = (port, wakeUp)
        let options = play.compiling.compiler
        guard !play.board.virtual else {
            rendering = BoardRendering(ofVirtualBoard: options, gain: settings.effectiveGain)
            return
        }
        guard let board = try HapticBoard.served(at: port) else { return nil }
        defer { board.close() }
        rendering = try BoardRendering(
            of: board, play.mask(on: board), profile: nil, options: options,
            gain: settings.effectiveGain)
    }

    /// Begins to examine a pattern, in place of any before it.
    func examine(_ read: AHAPReader.Result, of path: String) {
        let number = state.withLock { state in
            state.last += 1
            state.examined = nil
            return state.last
        }
        queue.async { [state, rendering, wakeUp] in
            guard state.withLock({ $0.last == number }) else { return }
            let file = PatternFile(name: path, read, rendering.profile, rendering.options)
            let examined = rendering.rendered(file)
            state.withLock { if $0.last == number { $0.examined = examined } }
            wakeUp.signal()
        }
    }

    /// Says what was found out, once.
    func tell() {
        let examined = state.withLock { state in
            defer { state.examined = nil }
            return state.examined
        }
        guard let examined else { return }
        warnings.remark(on: examined)
        warnings.remark(on: examined, at: port, rendering)
    }
}
