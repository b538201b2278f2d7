// HapticPattern+Excerpt: extracts the part of a pattern that is needed to play an interval.

extension HapticPattern {
    /// The maximum number of elements (events, parameters and points) in a pattern that counts as
    /// short.
    private static let short = 256

    /// Returns the pattern without the elements that have no effect in the given interval. If the
    /// pattern is short, returns it unchanged.
    ///
    /// The times in the result are still relative to the start of the whole pattern.
    public func excerpt(from start: Microseconds, to end: Microseconds) -> HapticPattern {
        let size =
            events.count + parameters.count + curves.lazy.map { $0.points.count }.reduce(0, +)
        guard size > Self.short else { return self }
        return HapticPattern(
            events: events.filter { $0.time < end && $0.lastFelt >= start },
            parameters: parameters.filter { $0.time < end }.keeping(
                from: start, id: { $0.id }, start: { $0.time }, end: { $0.time }),
            curves: curves.filter { $0.time < end }.keeping(
                from: start, id: { $0.id }, start: { $0.time }, end: { $0.end }))
    }
}

extension HapticEvent {
    /// The latest time at which the event may be felt.
    fileprivate var lastFelt: Microseconds {
        guard type == .hapticContinuous, let length, length > 0 else {
            return type == .hapticContinuous ? .max : time
        }
        return time + length + Microseconds(envelope.releaseTime * 1_000_000)
    }
}

extension Array {
    /// Returns the elements that end at or after the given time. For each id, the result also
    /// includes the last element before that time, because its value still applies. The elements
    /// must be sorted by start.
    fileprivate func keeping(
        from time: Microseconds, id: (Element) -> DynamicParameterID,
        start: (Element) -> Microseconds, end: (Element) -> Microseconds
    ) -> [Element] {
        var last: [DynamicParameterID: Int] = [:]
        for (index, element) in enumerated() where start(element) <= time {
            last[id(element)] = index
        }
        return enumerated().filter { index, element in
            end(element) >= time || last[id(element)] == index
        }.map { $0.element }
    }
}
