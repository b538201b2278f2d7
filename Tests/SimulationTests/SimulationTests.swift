// Seeded disasters: whatever goes wrong, the promises hold. `make soak` runs thousands of them.

import Simulation
import Testing

@Suite struct SimulationTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func promisesHoldWhateverGoesWrong(part: UInt64) {
        for seed in part * 10..<(part + 1) * 10 {
            let verdict = Simulation.run(Plan(seed: seed))
            let found = verdict.violations.map(\.description).joined(separator: "\n")
            #expect(verdict.violations.isEmpty, "bridge-soak --seed \(seed)\n\(found)")
            #expect(verdict.collisions == 0)
        }
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
        #expect(Set(plans.map { $0.faults.count }).count == 6)
        #expect(Set(plans.map { "\($0.faults)" }).count > 150)
    }
}
