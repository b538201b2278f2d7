// The agreement of onsets that were found with those that are there.

/// The counts of onsets that are there, that were claimed, and that are both.
public struct OnsetScore: Sendable {
    /// The number of onsets that were found.
    public private(set) var hits = 0
    /// The number of onsets that are there, and of those that were claimed.
    public private(set) var (wanted, claimed) = (0, 0)
    /// The sum of the distances of the hits, with their signs, in seconds.
    public private(set) var delay = 0.0

    /// Makes a score without onsets.
    public init() {}

    /// Counts the onsets of one sound. Each that is there is found at most once.
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

    /// The harmonic mean of the share of those wanted that were found, and of those claimed that are
    /// there.
    public var f1: Double { wanted + claimed > 0 ? Double(2 * hits) / Double(wanted + claimed) : 1 }

    /// The mean distance of the hits, later ones positive, in seconds.
    public var meanDelay: Double { hits > 0 ? delay / Double(hits) : 0 }
}
