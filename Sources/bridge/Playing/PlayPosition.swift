// PlayPosition: the position of a playback, and its level there.

import BridgeLink
import HapticBridge
import HapticCompiler

/// The time and the level of a pattern that is playing.
struct PlayPosition {
    let duration: Microseconds
    private let tick: Microseconds
    private var played: PlayedLevel
    /// The host time of tick 0; nil until the board has reported it.
    private var startedAt: HostTime?

    /// The time that had been played when it was last noted, in microseconds; nil if it is not
    /// known.
    private(set) var last: Microseconds?

    /// The time for which a tap is shown, in microseconds: long enough to be seen.
    private static let tapMicroseconds: Microseconds = 40_000

    init(_ pattern: PatternFile) {
        duration = pattern.renderedDuration
        tick = pattern.tick
        let tapLength = Int(Self.tapMicroseconds / pattern.tick)
        played = PlayedLevel(pattern.events) { _ in tapLength }
    }

    /// Returns the microseconds since tick 0: 0 before it, and `duration` at most.
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

    /// Notes how much has been played, while the pattern plays.
    mutating func note(_ playback: Playback, _ clock: ClockSync, at now: HostTime) {
        guard playback.phase == .playing else { return }
        let elapsed = elapsed(playback, clock, at: now)
        last = startedAt.map { _ in elapsed }
    }

    /// Returns the level that the stream requests, and its sharpness, each 0...255. Successive calls
    /// must not go back in time.
    mutating func output(at elapsed: Microseconds) -> (level: Int, sharpness: Int) {
        played.output(at: Int(elapsed / tick))
    }
}
