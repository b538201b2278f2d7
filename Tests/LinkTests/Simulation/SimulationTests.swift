// Tests of seeded runs with faults, in which all guarantees must be met. `make soak` executes
// thousands of seeded runs.

import TestSupport
import Testing

@testable import bridge_soak

@Suite struct SimulationTests {
    @Test(arguments: Proof.thinned(0..<10 as Range<UInt64>, every: 5))
    func promisesHoldWhateverGoesWrong(part: UInt64) {
        for seed in part * 10..<(part + 1) * 10 {
            let verdict = Simulation.run(Plan(seed: seed))
            let found = verdict.violations.map(\.description).joined(separator: "\n")
            #expect(verdict.violations.isEmpty, "bridge-soak --seed \(seed)\n\(found)")
            #expect(verdict.collisions == 0)
        }
    }

    /// Checks the seeds that broke a guarantee in the past, or appeared to break one.
    @Test(
        arguments: [
            (
                "STOP's answer is lost, and the stream is opened again before",
                [13_900, 40_335, 57_416]
            ),
            ("the chip retains its level as EN rises on a failing bus", [15_114, 62_702]),
            ("the same, with a budget that does not count it", [50_008, 54_805, 57_053]),
            ("heat is counted in whole numbers, a step at a time", [29_930, 44_808, 48_193]),
            ("an earlier fault recurs without a STATUS in between", [72_912, 80_425]),
            ("a stream is started, and its clock restarts before the host is informed", [85_055]),
            ("levels are late due to the chip's setup, and are reported", [57_753]),
            ("a stream resumes after it has run out", [92_274]),
        ] as [(String, [UInt64])])
    func whatWasFoundStaysMended(what: String, seeds: [UInt64]) {
        for seed in seeds {
            let verdict = Simulation.run(Plan(seed: seed, actuators: 1, isPlain: true))
            #expect(verdict.violations.isEmpty, "\(what): bridge-soak --seed \(seed)")
        }
    }

    /// Checks the seeds of boards with several actuators that broke a guarantee in the past, or
    /// appeared to break one.
    @Test(
        arguments: [
            ("eight chips are reset, and those that still drive must wait", 43_341),
            ("a chip loses its supply while others answer in its place", 28_999),
            ("a REVISE arrives while levels wait for chips to wake", 2_292),
            ("the execution of OPEN is unknown", 89_117),
            ("a chip that retains its level does not answer as EN rises", 20_003_897),
        ] as [(String, UInt64)])
    func whatWasFoundWithSeveralActuatorsStaysMended(what: String, seed: UInt64) {
        let verdict = Simulation.run(Plan(seed: seed, isPlain: true))
        #expect(verdict.violations.isEmpty, "\(what): bridge-soak --seed \(seed)")
    }

    @Test func aSeedGivesTheSameRunEachTime() {
        for seed in 0..<10 as Range<UInt64> {
            let one = Simulation.run(Plan(seed: seed), isTraced: true)
            #expect(!one.log.isEmpty)
            #expect(one.log == Simulation.run(Plan(seed: seed), isTraced: true).log)
        }
    }

    @Test func seedsDifferInWhatHappens() {
        let plans = (0..<200 as Range<UInt64>).map { Plan(seed: $0) }
        let plain = (0..<200 as Range<UInt64>).map { Plan(seed: $0, isPlain: true) }
        #expect(Set(plain.map { $0.faults.count }).count == 6)
        #expect(Set(plans.map { "\($0.faults)" }).count > 150)
        #expect(Set(plans.map(\.port)).count > 10)
        #expect(Set(plans.map(\.actuators)) == Set(1...8))
        #expect(Set(plans.map(\.streams.count)) == Set(1...4))
    }
}
