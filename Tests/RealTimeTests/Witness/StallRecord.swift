// StallRecord: how long something stood still, and when.

/// The stalls of one thread or process, in microseconds.
struct StallRecord: Sendable {
    /// The time within which stalls add up: the dead-man's. A board that has stood still three times
    /// in it is as late as after one stall of that length.
    static let span: Int64 = 250_000

    private var stalls: [(end: Int64, length: Int64)] = []

    /// Notes a stall that ended at a time. Stalls are noted in the order of their ends.
    mutating func note(_ length: Int64, endingAt end: Int64) {
        guard length > 0 else { return }
        stalls.append((end, length))
        // A test takes minutes at most.
        if stalls.count > 200_000 { stalls.removeFirst(100_000) }
    }

    /// Returns the longest time stood still within any `span` since `start`, in which the stalls
    /// ended.
    func longest(since start: Int64) -> Int64 {
        let recent = stalls[(stalls.lastIndex { $0.end < start } ?? -1).advanced(by: 1)...]
        var (first, sum, longest) = (recent.startIndex, Int64(0), Int64(0))
        for stall in recent {
            sum += stall.length
            while recent[first].end <= stall.end - Self.span {
                sum -= recent[first].length
                first += 1
            }
            longest = max(longest, sum)
        }
        return longest
    }
}
