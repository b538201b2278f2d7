// ShortenedStream: a stream without its long constant intervals, so that these need not be
// simulated.

import BridgeLink
import HapticCompiler
import HapticPatterns
import VirtualBoard

/// A stream without the middle of each long interval in which nothing changes. The remaining part
/// of such an interval is long enough for the actuator to cool, so that the board plays all other
/// events as in the whole stream.
struct ShortenedStream {
    /// The events of the shortened stream.
    private(set) var events: [StreamEvent] = []
    /// The times of the cuts in the shortened stream, in microseconds. `removed` is the total time
    /// that this cut and the earlier cuts remove.
    private var cuts: [(time: BoardTime, removed: BoardTime)] = []

    /// The length of the part of an interval that is kept, in microseconds, in addition to the time
    /// that the actuator takes to cool. The event memory of the board is refilled during this part.
    private static let settling: Microseconds = 500_000

    /// Shortens a stream.
    ///
    /// - Parameter tick: the length of a tick in microseconds.
    init(
        _ whole: [StreamEvent], tick: Microseconds, on configuration: ActuatorConfiguration
    ) {
        let budget = EnergyBudget(
            sustained: configuration.sustained, milliseconds: configuration.budget)
        let tapLength =
            Ticks([0, 255].map { configuration.tapLength(sharpness: $0) }.max()! / tick) + 1
        var played = PlayedLevel(whole) { _ in tapLength }
        var (settled, removed): (Ticks, Ticks) = (0, 0)
        for event in whole {
            if let cooling = budget.coolingTime {
                let kept = Ticks((Self.settling + cooling) / tick)
                if event.tick - settled > kept, budget.isUnlimited || played.level(at: settled) == 0
                {
                    removed += event.tick - settled - kept
                    let middle = event.tick - removed - kept / 2
                    cuts.append((BoardTime(middle) * tick, BoardTime(removed) * tick))
                }
            }
            events.append(StreamEvent(event.content, at: event.tick - removed))
            settled = max(settled, event.tick + max(event.duration, tapLength))
        }
    }

    /// True if nothing has been removed.
    var isWhole: Bool { cuts.isEmpty }

    /// The event code of the shortened stream.
    var code: [UInt8] { EventStreamEncoder.encode(events) }

    /// The time that has been removed, in microseconds.
    var removed: BoardTime { cuts.last?.removed ?? 0 }

    /// Returns the given changes in the drive with their times in the whole stream.
    func whole(_ drive: [DriveChange]) -> [DriveChange] {
        var (rest, removed) = (cuts[...], BoardTime(0))
        return drive.map { change in
            while let cut = rest.first, cut.time <= change.time {
                removed = cut.removed
                rest.removeFirst()
            }
            var change = change
            change.time += removed
            return change
        }
    }
}
