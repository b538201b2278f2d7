// FeltSamples: the values of a prediction, in which an interval of equal values is stored once.

/// A series with one value for each millisecond. An interval in which the value does not change
/// takes as much memory as one value.
public struct FeltSamples: RandomAccessCollection, Sendable {
    /// The first index of each interval, and its value.
    private var starts: [Int] = []
    private var values: [Double] = []
    /// The number of values.
    public private(set) var endIndex = 0
    /// The index of the first value: 0.
    public var startIndex: Int { 0 }

    /// Creates a series without values.
    init() {}

    /// Creates a series from its values.
    public init(_ values: [Double]) {
        starts = Array(values.indices)
        self.values = values
        endIndex = values.count
    }

    /// Appends a value that is repeated for a number of indices.
    mutating func append(_ value: Double, count: Int = 1) {
        guard count > 0 else { return }
        starts.append(endIndex)
        values.append(value)
        endIndex += count
    }

    /// Returns the value at an index.
    public subscript(index: Int) -> Double { values[starts.lastIndex(atMost: index)] }

    /// The intervals in which the value does not change, in order.
    public var intervals: some RandomAccessCollection<(range: Range<Int>, value: Double)> {
        starts.indices.lazy.map { interval in
            let end = interval + 1 < starts.count ? starts[interval + 1] : endIndex
            return (starts[interval]..<end, values[interval])
        }
    }

    /// The ranges of indices at which the value can differ from the value at the previous index.
    public var changes: [Range<Int>] {
        starts.reduce(into: []) { changes, start in
            if changes.last?.upperBound == start {
                changes[changes.count - 1] = changes[changes.count - 1].lowerBound..<start + 1
            } else {
                changes.append(start..<start + 1)
            }
        }
    }

    /// Returns the values at increasing indices.
    public func values(at indices: [Int]) -> [Double] {
        var interval = 0
        return indices.map { index in
            while interval + 1 < starts.count, starts[interval + 1] <= index { interval += 1 }
            return values[interval]
        }
    }

    /// Returns an iterator over all values.
    public func makeIterator() -> some IteratorProtocol<Double> {
        intervals.lazy.flatMap { repeatElement($0.value, count: $0.range.count) }.makeIterator()
    }
}

extension [Int] {
    /// Returns the index of the last element that does not exceed a value. The elements must be
    /// sorted, and the first element must not exceed the value.
    package func lastIndex(atMost value: Int) -> Int {
        var (low, high) = (0, count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if self[middle] <= value { low = middle } else { high = middle }
        }
        return low
    }
}
