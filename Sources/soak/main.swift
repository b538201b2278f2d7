// What `make soak` runs: seeded disasters in virtual time, until one breaks a promise.

import ArgumentParser
import Foundation
import Simulation
import TestSupport

struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge-soak",
        abstract: "Runs host and firmware core against each other under seeded faults.")

    @Option(help: "How many seeds.") var seeds: UInt64 = 2_000
    @Option(help: "The first of them.") var from: UInt64 = 0
    @Flag(help: "On the image in the simulated ATmega328P, in lock-step.") var lockStep = false
    @Flag(help: "Without slow ports, hours of silence and odd hosts.") var plain = false
    @Option(help: "Run this one seed, and tell all that happened.") var seed: UInt64?
    @Option(help: "Faults to leave out of that seed: their numbers, with commas.")
    var without: String = ""

    func run() throws {
        if let seed {
            let omitted = Set(without.split(separator: ",").compactMap { Int($0) })
            if !tell(plan(of: seed), without: omitted) { throw ExitCode(1) }
            return
        }
        let results = Results()
        let makeBoard = self.makeBoard
        let start = Date()
        DispatchQueue.concurrentPerform(iterations: Int(seeds)) { index in
            let plan = self.plan(of: from + UInt64(index))
            results.add(plan.seed, Simulation.run(plan, makeBoard: makeBoard))
        }
        let pace = Double(seeds) / Date().timeIntervalSince(start)
        let (failed, collisions) = results.all
        print("figure soak_seeds \(seeds) seeds")
        print("figure soak_pace \(String(format: "%.1f", pace)) seeds/s")
        print("figure soak_crc_collisions \(collisions) frames")
        print("figure soak_violations \(failed.count) seeds")
        guard let seed = failed.min() else { return }
        print("failed: \(failed.sorted().map(String.init).joined(separator: " "))")
        for (kind, seeds) in results.kinds {
            print("\(seeds.count) seeds from \(seeds.prefix(5)): \(kind)")
        }
        let plan = self.plan(of: seed)
        _ = tell(plan, without: Simulation.shrink(plan, makeBoard: makeBoard))
        throw ExitCode(1)
    }

    /// The image that ships for one actuator has one, and no other port than its own.
    private func plan(of seed: UInt64) -> Plan {
        Plan(seed: seed, actuators: lockStep ? 1 : nil, isPlain: lockStep || plain)
    }

    private var makeBoard: Simulation.MakeBoard? { lockStep ? LockStepBoard.simulated : nil }

    /// Runs a seed and prints its trace. Returns whether all promises held.
    private func tell(_ plan: Plan, without omitted: Set<Int>) -> Bool {
        let verdict = Simulation.run(plan, without: omitted, isTraced: true, makeBoard: makeBoard)
        for line in verdict.log { print(line) }
        print("port: \(plan.port)")
        for (index, fault) in plan.faults.enumerated() {
            print("fault \(index)\(omitted.contains(index) ? " (left out)" : ""): \(fault)")
        }
        for violation in verdict.violations { print("violation \(violation)") }
        let list = omitted.sorted().map(String.init).joined(separator: ",")
        print(
            "bridge-soak --seed \(plan.seed)" + (omitted.isEmpty ? "" : " --without \(list)")
                + (lockStep ? " --lock-step" : "") + (plain ? " --plain" : ""))
        return verdict.violations.isEmpty
    }
}

/// What all runs came to, from several threads.
private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var failed: [UInt64] = []
    private var collisions = 0
    /// The seeds in which promises were broken, by what was said of it, without its numbers.
    private var broken: [String: [UInt64]] = [:]

    func add(_ seed: UInt64, _ verdict: Verdict) {
        lock.withLock {
            if !verdict.violations.isEmpty { failed.append(seed) }
            let kinds = verdict.violations.map { $0.what.split { $0.isNumber }.joined() }
            for kind in Set(kinds) { broken[kind, default: []].append(seed) }
            collisions += verdict.collisions
        }
    }

    /// The most frequent first.
    var kinds: [(key: String, value: [UInt64])] {
        lock.withLock { broken.mapValues { $0.sorted() } }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    }

    var all: (failed: [UInt64], collisions: Int) { lock.withLock { (failed, collisions) } }
}

Soak.main()
