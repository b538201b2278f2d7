// PartSeparation: separates the percussive part of a sound from the harmonic part (Fitzgerald 2010,
// "Harmonic/percussive separation using median filtering").

/// Separates the percussive part of a sound from the harmonic part.
enum PartSeparation {
    /// The length of the median filters, in frames and in frequency bins.
    static let span = 31

    /// Returns, for each magnitude, the percussive fraction of its energy, 0...1. The magnitudes
    /// are arranged in rows of `bins` values.
    ///
    /// A tone has similar magnitudes in neighboring frames. An impact has similar magnitudes at
    /// neighboring frequencies.
    static func percussiveFractions(of strengths: [Float], bins: Int) -> [Float] {
        let rows = bins > 0 ? strengths.count / bins : 0
        var harmonic = [Float](repeating: 0, count: strengths.count)
        var fractions = harmonic
        var median = SlidingMedian(capacity: span)
        strengths.withUnsafeBufferPointer { strengths in
            harmonic.withUnsafeMutableBufferPointer { harmonic in
                for bin in 0..<bins {
                    median.filter(strengths, into: harmonic, from: bin, step: bins, count: rows)
                }
            }
            fractions.withUnsafeMutableBufferPointer { fractions in
                for row in 0..<rows {
                    median.filter(
                        strengths, into: fractions, from: row * bins, step: 1, count: bins)
                }
                for index in fractions.indices {
                    let (blow, tone) = (fractions[index], harmonic[index])
                    let sum = blow * blow + tone * tone
                    fractions[index] = sum > 0 ? blow * blow / sum : 0
                }
            }
        }
        return fractions
    }
}

/// A median that slides along a series of numbers.
struct SlidingMedian {
    private let capacity: Int
    private var sorted: [Float]
    private var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        sorted = [Float](repeating: 0, count: capacity + 1)
    }

    /// Writes the median of the window around each number of a series. Windows at the ends of the
    /// series are shorter.
    mutating func filter(
        _ source: UnsafeBufferPointer<Float>, into result: UnsafeMutableBufferPointer<Float>,
        from start: Int, step: Int, count length: Int
    ) {
        let reach = capacity / 2
        count = 0
        sorted.withUnsafeMutableBufferPointer { sorted in
            for index in 0..<length + reach {
                if index >= capacity {
                    Self.remove(source[start + (index - capacity) * step], from: sorted, &count)
                }
                if index < length {
                    Self.insert(source[start + index * step], into: sorted, &count)
                }
                if index >= reach { result[start + (index - reach) * step] = sorted[count / 2] }
            }
        }
    }

    private static func insert(
        _ value: Float, into sorted: UnsafeMutableBufferPointer<Float>, _ count: inout Int
    ) {
        var index = count
        while index > 0, sorted[index - 1] > value {
            sorted[index] = sorted[index - 1]
            index -= 1
        }
        sorted[index] = value
        count += 1
    }

    private static func remove(
        _ value: Float, from sorted: UnsafeMutableBufferPointer<Float>, _ count: inout Int
    ) {
        var index = 0
        while sorted[index] != value { index += 1 }
        count -= 1
        while index < count {
            sorted[index] = sorted[index + 1]
            index += 1
        }
    }
}
