// The part of a pattern that is needed to play an interval of it.

extension HapticPattern {
    /// The number of events, parameters and points up to which a pattern is short.
    private static let short = 256

    /// Returns the events, parameters and curves that affect an interval; a short pattern unchanged.
    ///
    /// Times stay those of the whole pattern.
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
    /// The last time at which something of the event may be felt.
    fileprivate var lastFelt: Microseconds {
        guard type == .hapticContinuous, let length, length > 0 else {
            return type == .hapticContinuous ? .max : time
        }
        return time + length + Microseconds(envelope.releaseTime * 1_000_000)
    }
}

extension Array {
    /// Returns the elements that last until a time, and the last one before it of each id, whose
    /// value holds. The elements are in order of their starts.
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
