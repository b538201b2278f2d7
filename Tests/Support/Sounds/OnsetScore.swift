// OnsetScore: the agreement between detected and true onsets.

/// The numbers of true onsets, of detected onsets, and of matches between them.
public struct OnsetScore: Sendable {
    /// The number of true onsets that were detected.
    public private(set) var hits = 0
    /// The number of true onsets, and the number of detected onsets.
    public private(set) var (wanted, claimed) = (0, 0)
    /// The sum of the signed time differences of the matches, in seconds.
    public private(set) var delay = 0.0

    /// Creates a score without onsets.
    public init() {}

    /// Counts the onsets of one sound. Each true onset is matched at most once.
    public mutating func count(_ found: [Double], of onsets: [Double], within: Double = 0.025) {
        var rest = found.sorted()[...]
        for onset in onsets.sorted() {
            rest = rest.drop { $0 < onset - within }
            guard let match = rest.first, match <= onset + within else { continue }
            hits += 1
            delay += match - onset
            rest = rest.dropFirst()
        }
        wanted += onsets.count
        claimed += found.count
    }

    /// The harmonic mean of recall and precision.
    public var f1: Double { wanted + claimed > 0 ? Double(2 * hits) / Double(wanted + claimed) : 1 }

    /// The mean time difference of the matches, in seconds; positive if the detected onsets are
    /// late.
    public var meanDelay: Double { hits > 0 ? delay / Double(hits) : 0 }
}
