// BlindTest: whether somebody feels a difference between two versions.

/// A comparison in which a hidden version is one of two, at random, anew for each trial (ABX).
public struct BlindTest: Sendable {
    /// The number of answers.
    public private(set) var trials = 0
    /// The number of right answers.
    public private(set) var correct = 0
    /// True if the last answer was right; nil before the first one.
    public private(set) var wasRight: Bool?
    /// The hidden version of the present trial.
    public private(set) var hidden: StudioVersion

    /// Begins a test.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Begins a test with the random numbers of a generator.
    public init(using generator: inout some RandomNumberGenerator) {
        hidden = Bool.random(using: &generator) ? .first : .second
    }

    /// Takes an answer, and hides a version anew.
    public mutating func answer(_ version: StudioVersion) {
        var generator = SystemRandomNumberGenerator()
        answer(version, using: &generator)
    }

    /// Takes an answer, and hides a version anew with the random numbers of a generator.
    public mutating func answer(
        _ version: StudioVersion, using generator: inout some RandomNumberGenerator
    ) {
        trials += 1
        wasRight = version == hidden
        if version == hidden { correct += 1 }
        hidden = Bool.random(using: &generator) ? .first : .second
    }

    /// The probability of at least as many right answers by guessing, 0...1.
    public var chance: Double {
        // The terms of the binomial distribution, from that of no right answer on.
        var term = 1.0
        var sum = 0.0
        var total = 0.0
        for count in 0...trials {
            if count > 0 { term *= Double(trials - count + 1) / Double(count) }
            total += term
            if count >= correct { sum += term }
            // Only the ratio counts, and a thousand trials would exceed a number.
            if total > 1e200 { (term, sum, total) = (term / 1e200, sum / 1e200, total / 1e200) }
        }
        return sum / total
    }
}
