// StreamVariants: the small changes to a stream among which a refinement chooses.

import HapticCompiler
import HapticPatterns

/// The streams that differ from a stream in one event, or in the time of a few successive events.
struct StreamVariants {
    private let lengths: TapLengths

    /// The amounts by which a time in ticks, a level, an intensity or a sharpness is changed.
    private static let changes: [Int] = [1, 2, 4, 8, 16, 32, 64].flatMap { [$0, -$0] }
    /// The maximum number of ticks by which an event is moved.
    private static let movedMax = 16
    /// The maximum number of successive events that are moved together.
    private static let groupMax = 4
    /// The taps that are inserted after a tap, in order to brake the actuator or to hold its
    /// amplitude.
    private static let inserted: [StreamEvent.Content] = [1, 40, 80, 160].map {
        .tap(intensity: $0, sharpness: 255)
    }
    /// The duration of the longest ramp that is varied, in ticks: 2 seconds.
    static let longestRamp = StreamTime.nearestTick(to: 2_000_000)

    init(_ lengths: TapLengths) { self.lengths = lengths }

    /// Returns the variants of a part of a stream in which the event at the given index is changed.
    /// The events are in order of time.
    func variants(of events: [StreamEvent], at index: Int) -> [[StreamEvent]] {
        let event = events[index]
        let next = index + 1 < events.count ? events[index + 1].tick : nil
        let replacements: [[StreamEvent]] =
            switch event.content {
            case .tap(let intensity, let sharpness):
                taps(intensity, sharpness, at: event.tick)
            case .level(let level): levels(level, from: event.tick, to: next)
            case .levelRamp(let level, let duration) where duration <= Self.longestRamp:
                ramps(to: level, in: duration, at: event.tick)
            default: []
            }
        // At the ends of their ranges, several changes have the same result, or none.
        var known: Set = [[event]]
        let changed = replacements.filter { known.insert($0).inserted }.map { replacement in
            var variant = events
            variant.replaceSubrange(index...index, with: replacement)
            return variant
        }
        // The sort of the standard library is stable, so events at equal times remain in order.
        return (moves(of: events, from: index) + changed).map { $0.sorted { $0.tick < $1.tick } }
    }

    /// Returns the variants in which the event at the given index is moved, alone or together with
    /// the events that follow it.
    private func moves(of events: [StreamEvent], from index: Int) -> [[StreamEvent]] {
        (1...min(Self.groupMax, events.count - index)).flatMap { count in
            Self.changes.filter { abs($0) <= Self.movedMax }.map { time in
                var variant = events
                for moved in index..<index + count { variant[moved].tick += time }
                return variant
            }
        }
    }

    /// Returns the replacements of a tap: stronger or weaker taps, longer or shorter taps, and the
    /// tap followed by another tap.
    private func taps(_ intensity: UInt8, _ sharpness: UInt8, at tick: Ticks) -> [[StreamEvent]] {
        func tap(_ intensity: UInt8, _ sharpness: UInt8, at tick: Ticks) -> [StreamEvent] {
            [StreamEvent(.tap(intensity: intensity, sharpness: sharpness), at: tick)]
        }
        let changed = Self.changes.flatMap { change in
            let stronger = max(1, intensity.changed(by: change))
            let longer = lengths.sharpness(sharpness, longerBy: StreamTime.time(of: change))
            return [
                tap(stronger, sharpness, at: tick),
                tap(stronger, sharpness.changed(by: change / 2), at: tick),
                tap(intensity, sharpness.changed(by: change), at: tick),
                tap(intensity, longer, at: tick - change),
            ]
        }
        let end = tick + StreamTime.nearestTick(to: lengths[sharpness])
        let followed = Self.inserted.map {
            tap(intensity, sharpness, at: tick) + [StreamEvent($0, at: end)]
        }
        return changed + followed
    }

    /// Returns the replacements of a level: other levels, and the level followed by another level
    /// half-way to the next event.
    private func levels(
        _ level: UInt8, from tick: Ticks, to next: Ticks?
    ) -> [[StreamEvent]] {
        Self.changes.flatMap { change in
            let other = StreamEvent.Content.level(level.changed(by: change))
            let changed = [StreamEvent(other, at: tick)]
            guard let next, next > tick + 1 else { return [changed] }
            return [
                changed,
                [StreamEvent(.level(level), at: tick), StreamEvent(other, at: (tick + next) / 2)],
            ]
        }
    }

    /// Returns the replacements of a ramp: other levels at its end, and longer or shorter ramps.
    private func ramps(
        to level: UInt8, in duration: Ticks, at tick: Ticks
    ) -> [[StreamEvent]] {
        Self.changes.flatMap { change in
            let other = level.changed(by: change)
            let longer = max(1, duration + change)
            return [
                [StreamEvent(.levelRamp(to: other, duration: duration), at: tick)],
                [StreamEvent(.levelRamp(to: level, duration: longer), at: tick)],
                [StreamEvent(.levelRamp(to: level, duration: longer), at: tick - change)],
            ]
        }
    }
}

extension UInt8 {
    /// Returns the sum of the value and a change, 0...255.
    fileprivate func changed(by change: Int) -> UInt8 { UInt8(clamping: Int(self) + change) }
}
