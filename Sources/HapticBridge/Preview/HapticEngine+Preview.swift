// The output of engines and players, for images and sounds that accompany haptics.

import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

extension HapticEngine {
    /// True if the engine has started without a board. Its players end, loop and report as on a
    /// board, but nothing is felt. ``output(atTime:)`` returns the haptic output that a board would
    /// play.
    ///
    /// At each start, the device determines whether the engine becomes a preview; see
    /// ``HapticDevice/preview`` and ``HapticDevice/automatic(allowingPreview:)``.
    public var isPreview: Bool {
        state.withLock { state in
            state.run == .running && (device.preview == .always || state.previewReason != nil)
        }
    }

    /// The reason why the engine runs as a preview although its device is a board; nil if the
    /// engine is not such a preview.
    public var previewReason: HapticError? { state.withLock { $0.previewReason } }

    private var device: HapticDevice { core.device }

    /// Returns the combined intensity and sharpness of all players at the specified time, with or
    /// without a board. Use these values to animate graphics in step with the haptics.
    ///
    /// The values come from the patterns, which are mixed as for an actuator. The user's settings
    /// and the actuator's limits do not change these values. The actual output of a board is at
    /// most 20 ms earlier or later than the returned output. A transient event is part of the
    /// output for 20 ms, so that an image with at least 50 frames per second shows it. A call takes
    /// microseconds, and may be made for each frame from any thread.
    ///
    /// - Parameter time: a time on the clock of ``currentTime``, in seconds; 0 means now. For an
    ///   image, pass the time at which the image will be shown. Output in the future reflects the
    ///   commands that have been given so far. Output more than 0.2 s in the past is silent.
    /// - Returns: the output; ``HapticOutput/silence`` if the engine is not running or is muted.
    public func output(atTime time: TimeInterval) -> HapticOutput {
        core.output(at: .shown(time)) ?? .silence
    }

    /// Returns everything that plays in an interval, mixed. For the sound of a preview,
    /// `PreviewTone` renders one interval after the other.
    ///
    /// - Parameters:
    ///   - start: a host time (`Link.now()`), at most 0.2 s in the past. The result does not
    ///     contain commands that are given after the call, so the interval should lie in the past.
    ///   - end: the end of the interval, which is excluded.
    /// - Returns: taps and pieces in microseconds of the host's clock; empty if the engine is not
    ///   running or is muted.
    package func span(from start: HostTime, to end: HostTime) -> MixedSpan {
        core.span(from: start, to: end) ?? MixedSpan(taps: [], pieces: [])
    }

    /// Returns a sequence of the engine's output as it changes, for an app's own display. Each
    /// caller receives its own sequence, which ends with the task that reads it, or when the engine
    /// stops or is released.
    ///
    /// - Parameter interval: the polling interval, 1 ms to 1 s.
    /// - Returns: outputs that differ from the preceding output, beginning with the current one. A
    ///   task that reads slowly receives only the newest output.
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
    /// Returns the intensity and sharpness of this player alone at the specified time; see
    /// ``HapticEngine/output(atTime:)``.
    ///
    /// - Parameter time: a time on the clock of ``HapticEngine/currentTime``, in seconds; 0 means
    ///   now.
    /// - Returns: the output; nil if the player does not play at that time, is paused, or was not
    ///   created by an engine.
    public func output(atTime time: TimeInterval) -> HapticOutput? {
        guard let player = self as? EnginePlayer else { return nil }
        return player.core.output(of: player.id, at: .shown(time))
    }
}

extension HostTime {
    /// Returns the host time for an output; 0 and invalid times mean now.
    fileprivate static func shown(_ time: TimeInterval) -> HostTime {
        guard time != 0, let time = try? checked(time) else { return Link.now() }
        return time
    }
}
