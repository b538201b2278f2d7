// Seeded disasters: whatever goes wrong, the promises hold. `make soak` runs thousands of them.

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

    /// Checks the seeds that once broke a promise, or seemed to.
    @Test(
        arguments: [
            (
                "STOP's answer is lost, and the stream is opened anew before",
                [13_900, 40_335, 57_416]
            ),
            ("the chip keeps its level as EN rises over a bus that fails", [15_114, 62_702]),
            ("the same, with a budget that does not know of it", [50_008, 54_805, 57_053]),
            ("heat is counted in whole numbers, a step at a time", [29_930, 44_808, 48_193]),
            ("a fault of before happens again, and no STATUS between says so", [72_912, 80_425]),
            ("a stream is started, and its clock begins anew before anybody knows", [85_055]),
            ("levels are late by the chip's set-up, and told so", [57_753]),
            ("a stream is joined that has run out", [92_274]),
        ] as [(String, [UInt64])])
    func whatWasFoundStaysMended(what: String, seeds: [UInt64]) {
        for seed in seeds {
            let verdict = Simulation.run(Plan(seed: seed, actuators: 1, isPlain: true))
            #expect(verdict.violations.isEmpty, "\(what): bridge-soak --seed \(seed)")
        }
    }

    /// Checks the seeds of boards with several actuators that once broke a promise, or seemed to.
    @Test(
        arguments: [
            ("eight chips that reset keep those of them waiting that drive still", 43_341),
            ("a chip loses its supply while others answer in its place", 28_999),
            ("a REVISE finds levels that wait for chips to wake", 2_292),
            ("whether OPEN was carried out is not known", 89_117),
            ("one chip that keeps its level does not answer as EN rises", 20_003_897),
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
