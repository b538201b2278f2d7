// PlayPosition: where a playback is, and how strong it is there.

import BridgeLink
import HapticBridge
import HapticCompiler

/// The time and the level of a pattern that plays.
struct PlayPosition {
    let duration: Int64
    private let tick: Int64
    private var played: PlayedLevel
    /// Host time of tick 0, once the board has told it.
    private var startedAt: Int64?

    /// How much has played when it was noted last, in microseconds; nil if that is not known.
    private(set) var last: Int64?

    /// How long a tap is shown: long enough to be seen.
    private static let tapMicroseconds: Int64 = 40_000

    init(_ pattern: PatternFile) {
        duration = pattern.renderedDuration
        tick = pattern.tick
        let tapLength = Int(Self.tapMicroseconds / pattern.tick)
        played = PlayedLevel(pattern.events) { _ in tapLength }
    }

    /// Microseconds since tick 0: 0 before it, `duration` at most.
    mutating func elapsed(_ playback: Playback, _ clock: ClockSync, at now: Int64) -> Int64 {
        if startedAt == nil, let start = playback.progress.startTime,
            let device = clock.deviceTime(at: now)
        {
            let since = UInt32(truncatingIfNeeded: device.time) &- start
            startedAt = now - Int64(Int32(bitPattern: since))
        }
        return min(max(0, now - (startedAt ?? now)), duration)
    }

    /// Remembers how much has played, while it does.
    mutating func note(_ playback: Playback, _ clock: ClockSync, at now: Int64) {
        guard playback.phase == .playing else { return }
        let elapsed = elapsed(playback, clock, at: now)
        last = startedAt.map { _ in elapsed }
    }

    /// What the stream asks for, 0...255. Times only go forward.
    mutating func level(at elapsed: Int64) -> Int { played.level(at: Int(elapsed / tick)) }
}
