// The output of engines and players, for pictures and sounds that go with what is felt.

import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

extension HapticEngine {
    /// True if the engine has started without a board, so that its players end, loop and report as
    /// on a board, but nothing is felt. ``output(atTime:)`` shows what would be.
    ///
    /// A device that is a preview, or allows one, chooses this at each start:
    /// ``HapticDevice/preview`` and ``HapticDevice/automatic(allowingPreview:)``.
    public var isPreview: Bool {
        state.withLock { state in
            state.run == .running && (device.preview == .always || state.previewReason != nil)
        }
    }

    /// The reason why the engine is only previewed although its device would be a board; nil if
    /// there is none.
    public var previewReason: HapticError? { state.withLock { $0.previewReason } }

    private var device: HapticDevice { core.device }

    /// Returns the level and the sharpness of all players together at a time, with a board or
    /// without, so that a picture can move with them.
    ///
    /// They are those of the patterns, as mixed for an actuator: the user's settings and the
    /// actuator's limits do not change them. A board is at most 20 ms from them. A transient is
    /// part of the output for 20 ms, so that a picture of 50 frames per second or more shows it.
    /// A call takes microseconds, and can be made from any thread, for each frame.
    ///
    /// - Parameter time: a time of ``currentTime``, in seconds; 0 means now. A picture gives the
    ///   time at which it will be seen. What lies ahead counts as it was asked for by now; what is
    ///   more than 0.2 s in the past is silent.
    /// - Returns: the output; ``HapticOutput/silence`` if the engine is not running, or muted.
    public func output(atTime time: TimeInterval) -> HapticOutput {
        core.output(at: .shown(time)) ?? .silence
    }

    /// Returns everything that plays from a time to another, mixed: a preview's sound renders it
    /// with `PreviewTone`, window after window.
    ///
    /// - Parameters:
    ///   - start: a time of the host's clock (`Link.now()`), at most 0.2 s ago. What is commanded for
    ///     a window after it was asked for is missing in it, so a window lies in the past.
    ///   - end: the end of the window, which is not part of it.
    /// - Returns: taps and pieces in microseconds of the host's clock; empty if the engine is not
    ///   running, or muted.
    package func span(from start: HostTime, to end: HostTime) -> MixedSpan {
        core.span(from: start, to: end) ?? MixedSpan(taps: [], pieces: [])
    }

    /// The output of the engine as it changes, for an app's own picture. Each caller has a sequence
    /// of its own, which ends with the task that reads it, or when the engine stops or is released.
    ///
    /// - Parameter interval: the time between two looks, 1 ms to 1 s.
    /// - Returns: outputs that differ from the one before, beginning with the present one. A task
    ///   that reads slowly receives the newest.
    public func outputs(
        every interval: Duration = .microseconds(16_667)
    ) -> AsyncStream<HapticOutput> {
        let pause = Microseconds(min(max(interval, .milliseconds(1)), .seconds(1)))
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { [weak core] continuation in
            let isOver = LockedValue(false)
            continuation.onTermination = { _ in isOver.withLock { $0 = true } }
            Thread.start("haptic-bridge.outputs", qualityOfService: .userInteractive) {
                [weak core] in
                var last: HapticOutput?
                while !isOver.withLock({ $0 }),
                    let output = core?.output(at: Link.now())
                {
                    if output != last { continuation.yield(output) }
                    last = output
                    hostClock.sleep(for: pause)
                }
                continuation.finish()
            }
        }
    }
}

extension HapticPatternPlayer {
    /// Returns the level and the sharpness of the player alone at a time; see
    /// ``HapticEngine/output(atTime:)``.
    ///
    /// - Parameter time: a time of ``HapticEngine/currentTime``, in seconds; 0 means now.
    /// - Returns: the output; nil if the player does not play at that time, is paused, or was not
    ///   made by an engine.
    public func output(atTime time: TimeInterval) -> HapticOutput? {
        guard let player = self as? EnginePlayer else { return nil }
        return player.core.output(of: player.id, at: .shown(time))
    }
}

extension HostTime {
    /// The time of a picture; 0 and what is no time of an engine stand for now.
    fileprivate static func shown(_ time: TimeInterval) -> HostTime {
        guard time != 0, let time = try? checked(time) else { return Link.now() }
        return time
    }
}
