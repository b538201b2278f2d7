// StallRecord: a record of the times and durations of stalls.

/// The stalls of one thread or process, in microseconds.
struct StallRecord: Sendable {
    /// The interval over which the lengths of stalls are added: the dead-man time. Three stalls of
    /// a board within this interval cause the same delay as one stall with their total length.
    static let span: Int64 = 250_000

    private var stalls: [(end: Int64, length: Int64)] = []

    /// Records a stall that ended at a given time. Stalls must be recorded in the order of their
    /// ends.
    mutating func add(_ length: Int64, endingAt end: Int64) {
        guard length > 0 else { return }
        stalls.append((end, length))
        // A test takes a few minutes at most.
        if stalls.count > 200_000 { stalls.removeFirst(100_000) }
    }

    /// Returns the maximum total length of the stalls that ended within any interval of length
    /// `span` since `start`.
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
