// The first time at which two patterns differ, and the place from which that is felt.

import HapticPatterns

extension HapticPattern {
    /// Returns the first time at which this pattern is not as another one was, in microseconds; nil
    /// if both are the same.
    ///
    /// An event has changed at its start, whatever of it is different. A curve has changed at the
    /// last point that both versions have, because the line from there leads elsewhere.
    func firstChange(since other: HapticPattern) -> Microseconds? {
        guard self != other else { return nil }
        let changes = [
            firstDifference(events, other.events).map(\.time).min(),
            firstDifference(parameters, other.parameters).map(\.time).min(),
            curveChange(since: other),
        ]
        return changes.compactMap(\.self).min()
    }

    /// Returns the place from which a change is felt, 0.3 s before it, in microseconds.
    func start(beforeChangeAt change: Microseconds) -> Microseconds {
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

/// Returns the first two elements by which two lists differ, or the one where the other list has
/// ended; none if the lists are the same.
private func firstDifference<Element: Equatable>(
    _ one: [Element], _ other: [Element]
) -> [Element] {
    let count = zip(one, other).prefix { $0 == $1 }.count
    return [one.dropFirst(count).first, other.dropFirst(count).first].compactMap(\.self)
}
