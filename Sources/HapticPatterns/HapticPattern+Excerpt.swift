// HapticPattern+Excerpt: the part of a pattern that is needed to play an interval of it.

extension HapticPattern {
    /// The maximum number of events, parameters and points of a short pattern.
    private static let short = 256

    /// Returns the pattern without the elements that have no effect in an interval. A short pattern
    /// is returned unchanged.
    ///
    /// The times remain those of the whole pattern.
    public func excerpt(from start: Microseconds, to end: Microseconds) -> HapticPattern {
        let size = events.count + parameters.count + curves.lazy.map(\.points.count).reduce(0, +)
        guard size > Self.short else { return self }
        return HapticPattern(
            events: events.filter { $0.time < end && $0.lastFelt >= start },
            parameters: parameters.filter { $0.time < end }.keeping(
                from: start, id: \.id, start: \.time, end: \.time),
            curves: curves.filter { $0.time < end }.keeping(
                from: start, id: \.id, start: \.time, end: \.end))
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
    /// Returns the elements that end at or after a time, and for each id the last element before
    /// that time, because its value still applies. The elements must be sorted by start.
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
        }.map(\.element)
    }
}
