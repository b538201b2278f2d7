// Tests of the score of a blind comparison.

import TestSupport
import Testing

@testable import Studio

@Suite struct BlindTestTests {
    /// Answers a number of trials, a given number of them correctly.
    private func test(_ trials: Int, right: Int) -> BlindTest {
        var generator = SeededGenerator(seed: 1)
        var test = BlindTest(using: &generator)
        for trial in 0..<trials {
            let other = test.hidden == .first ? StudioVersion.second : .first
            test.answer(trial < right ? test.hidden : other, using: &generator)
        }
        return test
    }

    @Test(
        arguments: [
            (0, 0, 1), (1, 1, 0.5), (1, 0, 1), (10, 9, 11.0 / 1024), (10, 5, 638.0 / 1024),
            (16, 12, 2517.0 / 65536),
        ] as [(Int, Int, Double)])
    func theChanceIsThatOfGuessingAtLeastSoWell(_ trials: Int, _ right: Int, _ chance: Double) {
        let test = test(trials, right: right)
        #expect(test.trials == trials && test.correct == right)
        #expect(abs(test.chance - chance) < 1e-12)
    }

    @Test func theChanceOfManyTrialsIsANumber() {
        let test = test(3_000, right: 1_500)
        #expect((0.5..<0.52).contains(test.chance))
    }

    @Test func theHiddenVersionIsEitherOne() {
        var generator = SeededGenerator(seed: 7)
        var test = BlindTest(using: &generator)
        var hidden: [StudioVersion: Int] = [:]
        for _ in 0..<1_000 {
            hidden[test.hidden, default: 0] += 1
            test.answer(.first, using: &generator)
        }
        #expect((400...600).contains(hidden[.first] ?? 0))
        #expect(test.wasRight != nil)
    }
}
