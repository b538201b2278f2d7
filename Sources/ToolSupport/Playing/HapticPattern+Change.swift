// HapticPattern+Change: finds the first difference between two patterns, and the position from
// which to play the change.

import HapticPatterns

extension HapticPattern {
    /// Returns the first time at which this pattern differs from another pattern, in microseconds;
    /// nil if the patterns are equal.
    ///
    /// The difference of a changed event begins at the start of the event. The difference of a
    /// changed curve begins at the last common point of both versions, because the lines after this
    /// point differ.
    package func firstChange(since other: HapticPattern) -> Microseconds? {
        guard self != other else { return nil }
        let changes = [
            firstDifference(events, other.events).map(\.time).min(),
            firstDifference(parameters, other.parameters).map(\.time).min(),
            curveChange(since: other),
        ]
        return changes.compactMap(\.self).min()
    }

    /// Returns the position from which a change is played, in microseconds: 0.3 s before the
    /// change, or the start of the pattern.
    package func start(beforeChangeAt change: Microseconds) -> Microseconds {
        max(0, min(change, length) - 300_000)
    }

    private func curveChange(since other: HapticPattern) -> Microseconds? {
        guard curves.count == other.curves.count else {
            return firstDifference(curves, other.curves).map(\.time).min()
        }
        return zip(curves, other.curves).compactMap { $0.firstChange(since: $1) }.min()
    }
}

extension HapticParameterCurve {
    fileprivate func firstChange(since other: HapticParameterCurve) -> Microseconds? {
        guard self != other else { return nil }
        guard id == other.id, time == other.time else { return min(time, other.time) }
        let common = zip(points, other.points).prefix { $0 == $1 }
        return time + (common.map(\.0.time).last ?? 0)
    }
}

/// Returns the first pair of different elements at the same index of two lists, or the first
/// surplus element of the longer list; an empty list if the lists are equal.
private func firstDifference<Element: Equatable>(
    _ one: [Element], _ other: [Element]
) -> [Element] {
    let count = zip(one, other).prefix { $0 == $1 }.count
    return [one.dropFirst(count).first, other.dropFirst(count).first].compactMap(\.self)
}
