// BlindTest: tests whether a person can feel the difference between two versions of a pattern.

/// A blind comparison of two versions of a pattern (an ABX test). In each trial, the hidden version
/// is one of the two versions, chosen at random.
struct BlindTest: Sendable {
    /// The number of answers.
    private(set) var trials = 0
    /// The number of correct answers.
    private(set) var correct = 0
    /// True if the last answer was correct; nil before the first answer.
    private(set) var wasRight: Bool?
    /// The hidden version of the current trial.
    private(set) var hidden: StudioVersion

    /// Starts a test.
    init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Starts a test that uses the given random number generator.
    init(using generator: inout some RandomNumberGenerator) {
        hidden = Bool.random(using: &generator) ? .first : .second
    }

    /// Records an answer, and chooses the hidden version for the next trial.
    mutating func answer(_ version: StudioVersion) {
        var generator = SystemRandomNumberGenerator()
        answer(version, using: &generator)
    }

    /// Records an answer, and uses the given random number generator to choose the hidden version
    /// for the next trial.
    mutating func answer(
        _ version: StudioVersion, using generator: inout some RandomNumberGenerator
    ) {
        trials += 1
        wasRight = version == hidden
        if version == hidden { correct += 1 }
        hidden = Bool.random(using: &generator) ? .first : .second
    }

    /// The probability, 0...1, of giving at least as many correct answers by guessing.
    var chance: Double {
        // The terms of the binomial distribution, starting with the term for no correct answer.
        var term = 1.0
        var sum = 0.0
        var total = 0.0
        for count in 0...trials {
            if count > 0 { term *= Double(trials - count + 1) / Double(count) }
            total += term
            if count >= correct { sum += term }
            // After about a thousand trials, the sums would overflow. The sums are scaled down,
            // because only their ratio is needed.
            if total > 1e200 { (term, sum, total) = (term / 1e200, sum / 1e200, total / 1e200) }
        }
        return sum / total
    }
}
