// PlayPosition: the position of a playback, and the level at this position.

import BridgeLink
import HapticBridge
import HapticCompiler
import ToolSupport

/// The position and the level of a playing pattern.
struct PlayPosition {
    let duration: Microseconds
    private let tick: Microseconds
    private var played: PlayedLevel
    /// The host time of tick 0; nil until the board has reported it.
    private var startedAt: HostTime?

    /// The last known position, in microseconds; nil if no position is known.
    private(set) var last: Microseconds?

    /// The duration of the display of a tap, in microseconds, which is long enough for people to
    /// see the tap.
    private static let tapMicroseconds: Microseconds = 40_000

    init(_ pattern: PatternFile) {
        duration = pattern.renderedDuration
        tick = pattern.tick
        let tapLength = Int(Self.tapMicroseconds / pattern.tick)
        played = PlayedLevel(pattern.events) { _ in tapLength }
    }

    /// Returns the elapsed microseconds since tick 0, limited to 0...`duration`.
    mutating func elapsed(
        _ playback: Playback, _ clock: ClockSync, at now: HostTime
    ) -> Microseconds {
        if startedAt == nil, let start = playback.progress.startTime,
            let device = clock.deviceTime(at: now)
        {
            let since = device.time.stamp &- start
            startedAt = now - Microseconds(Int32(bitPattern: since))
        }
        return min(max(0, now - (startedAt ?? now)), duration)
    }

    /// Records the position while the pattern is playing.
    mutating func record(_ playback: Playback, _ clock: ClockSync, at now: HostTime) {
        guard playback.phase == .playing else { return }
        let elapsed = elapsed(playback, clock, at: now)
        last = startedAt.map { _ in elapsed }
    }

    /// Returns the level and the sharpness of the stream, each 0...255. Times must not decrease
    /// between calls.
    mutating func output(at elapsed: Microseconds) -> (level: Int, sharpness: Int) {
        played.output(at: Int(elapsed / tick))
    }
}
