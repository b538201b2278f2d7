// PatternRemarks: predicts in the background whether a board can render a pattern.

import AHAP
import BoardEngine
import HapticBridge
import SerialPorts
import ToolSupport

/// Predicts the rendering of patterns on another thread, because a prediction may take longer than
/// the interval between saves.
final class PatternRemarks {
    private struct State {
        /// The number of the latest pattern.
        var last = 0
        /// The latest pattern with its prediction; nil until the prediction has been computed.
        var examined: PatternFile?
    }

    private let warnings: PlayWarnings
    private let rendering: BoardRendering
    private let port: String
    private let eventSignal: EventSignal
    private let state = LockedValue(State())
    private let queue = hostClock.makeQueue("bridge.remarks", isUtility: true)

    /// Creates an object that predicts the rendering on the board at a port.
    init(
        _ play: Play, _ settings: PlaySettings, _ board: StartedBoard, at port: String,
        _ eventSignal: EventSignal
    ) {
        warnings = PlayWarnings(output: play.output)
        (self.port, self.eventSignal) = (port, eventSignal)
        rendering = BoardRendering(
            of: board, options: play.compiling.compiler, gain: settings.effectiveGain)
    }

    /// Starts the prediction for a pattern, which replaces the prediction for any previous pattern.
    func examine(_ read: AHAPReader.Result, of path: String) {
        let number = state.withLock { state in
            state.last += 1
            state.examined = nil
            return state.last
        }
        queue.async { [state, rendering, eventSignal] in
            guard state.withLock({ $0.last == number }) else { return }
            let file = PatternFile(name: path, read, rendering.profile, rendering.options)
            let examined = rendering.rendered(file)
            state.withLock { if $0.last == number { $0.examined = examined } }
            eventSignal.signal()
        }
    }

    /// Prints warnings about the latest pattern, once.
    func report() {
        let examined = state.withLock { state in
            defer { state.examined = nil }
            return state.examined
        }
        guard let examined else { return }
        warnings.remark(on: examined)
        warnings.remark(on: examined, at: port, rendering)
    }
}
