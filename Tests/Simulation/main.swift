// The program that `make soak` runs. The program makes seeded runs with faults in virtual time, and
// reports each run that breaks a guarantee.

import ArgumentParser
import Foundation
import TestSupport

struct Soak: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bridge-soak",
        abstract: "Runs hosts and firmware cores together, with faults that a seed determines.")

    @Option(help: "The number of seeds.") var seeds: UInt64 = 2_000
    @Option(help: "The first seed.") var from: UInt64 = 0
    @Flag(help: "Run on the image of a simulated board, in lock-step.") var lockStep = false
    @Option(help: "The simulated board: uno or pico.") var board = SimulatedBoard.uno
    @Flag(help: "Exclude slow ports, hours of silence and unusual hosts.") var plain = false
    @Option(help: "Send this number of queries to the image during dense playback.") var queries:
        Int?
    @Option(help: "Send a byte that the image receives in each of this number of cycles.")
    var sweep: Int?
    @Option(help: "Use only every n-th of these cycles, starting with the cycle given by --from.")
    var every: Int = 1
    @Flag(help: "Run only the hostile hosts.") var hostileOnly = false
    @Option(help: "Run only this seed and print its complete trace.") var seed: UInt64?
    @Option(help: "The numbers of the faults to omit from the run of --seed, separated by commas.")
    var without: String = ""

    func run() throws {
        if let queries { return try judge(ImageProof.ask(queries, on: lockStepBoard), "queries") }
        if let sweep {
            let cycles = stride(from: Int(from) % every, to: sweep, by: every)
            return try judge(ImageProof.sweep(cycles, on: lockStepBoard), "sweep")
        }
        if let seed {
            let omitted = Set(without.split(separator: ",").compactMap { Int($0) })
            if !judge(plan(of: seed), without: omitted) { throw ExitCode(1) }
            return
        }
        let results = Results()
        let makeBoard = self.makeBoard
        let start = Date()
        DispatchQueue.concurrentPerform(iterations: Int(seeds)) { index in
            let plan = self.plan(of: from + UInt64(index))
            var verdict = hostile(plan.seed)
            var line = LineReport()
            if !hostileOnly {
                line = storm(of: plan.seed)
                verdict.add(Simulation.run(plan, makeBoard: makeBoard))
            }
            results.add(plan.seed, verdict, line)
        }
        let pace = Double(seeds) / Date().timeIntervalSince(start)
        let (failed, collisions, line) = results.all
        print("figure soak_seeds \(seeds) seeds")
        print("figure soak_pace \(String(format: "%.1f", pace)) seeds/s")
        print("figure soak_crc_collisions \(collisions) frames")
        print("figure soak_violations \(failed.count) seeds")
        if lockStep { show(line, "seeds") }
        guard let seed = failed.min() else { return }
        print("failed: \(failed.sorted().map(String.init).joined(separator: " "))")
        for (kind, seeds) in results.kinds {
            print("\(seeds.count) seeds from \(seeds.prefix(5)): \(kind)")
        }
        let plan = self.plan(of: seed)
        let holds = Simulation.run(plan, makeBoard: makeBoard).violations.isEmpty
        _ = judge(plan, without: holds ? [] : Simulation.shrink(plan, makeBoard: makeBoard))
        throw ExitCode(1)
    }

    /// Prints the findings on a line to the image. Throws an error if a guarantee was broken.
    private func judge(_ report: LineReport, _ name: String) throws {
        show(report, name)
        for complaint in report.complaints { print("violation \(complaint)") }
        if !report.complaints.isEmpty { throw ExitCode(1) }
    }

    private func show(_ report: LineReport, _ name: String) {
        let name = "\(board.prefix)_\(name)"
        print("figure \(name)_asked \(report.queries) queries")
        print("figure \(name)_damaged \(report.damaged) frames")
        print("figure \(name)_unanswered \(report.unanswered) queries")
        print("figure \(name)_stamp_error \(report.worstStamp) us, of \(report.stamps)")
    }

    /// Returns the plan of a seed. The committed image, which runs in lock-step, has one actuator
    /// and supports only its own port.
    private func plan(of seed: UInt64) -> Plan {
        let start = lockStep && board == .pico ? board.simulator.startTime : 0
        return Plan(
            seed: seed, actuators: lockStep ? 1 : nil, start: start, isPlain: lockStep || plain)
    }

    private var makeBoard: Simulation.MakeBoard? {
        guard lockStep else { return nil }
        let simulator = board.simulator
        return { LockStepBoard.simulated(by: simulator) }
    }

    private var lockStepBoard: LockStepBoard { .simulated(by: board.simulator) }

    /// Runs the storm of traffic that a seed determines. This run requires an image.
    private func storm(of seed: UInt64) -> LineReport {
        lockStep ? ImageProof.storm(seed: seed, on: lockStepBoard) : LineReport()
    }

    /// Runs the hostile host that a seed determines.
    private func hostile(_ seed: UInt64, isTraced: Bool = false) -> Verdict {
        let start = lockStep ? board.simulator.startTime : 300_000
        return HostileHost.run(seed: seed, isTraced: isTraced, start: start, makeBoard: makeBoard)
    }

    /// Runs a plan and prints its trace. Returns true if all guarantees were met.
    private func judge(_ plan: Plan, without omitted: Set<Int>) -> Bool {
        var verdict = Simulation.run(plan, without: omitted, isTraced: true, makeBoard: makeBoard)
        verdict.add(hostile(plan.seed, isTraced: true))
        for line in verdict.log { print(line) }
        print("port: \(plan.port)")
        for (index, fault) in plan.faults.enumerated() {
            print("fault \(index)\(omitted.contains(index) ? " (omitted)" : ""): \(fault)")
        }
        let line = storm(of: plan.seed)
        for violation in verdict.violations { print("violation \(violation)") }
        for complaint in line.complaints { print("violation on a busy line, \(complaint)") }
        let list = omitted.sorted().map(String.init).joined(separator: ",")
        print(
            "bridge-soak --seed \(plan.seed)" + (omitted.isEmpty ? "" : " --without \(list)")
                + (lockStep ? " --lock-step --board \(board)" : "") + (plain ? " --plain" : ""))
        return verdict.violations.isEmpty && line.complaints.isEmpty
    }
}

/// The simulated boards, by their command-line names.
enum SimulatedBoard: String, ExpressibleByArgument {
    case uno, pico

    var simulator: BoardSimulator { self == .uno ? .atmega328p : .pico }

    /// The prefix of the names of figures.
    var prefix: String { self == .uno ? "image" : "image_rp2040" }
}

/// The results of all runs. Several threads add their results.
private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var failed: [UInt64] = []
    private var collisions = 0
    /// The seeds of runs that broke guarantees, keyed by the description of the violation without
    /// its numbers.
    private var broken: [String: [UInt64]] = [:]
    private var line = LineReport()

    func add(_ seed: UInt64, _ verdict: Verdict, _ line: LineReport) {
        lock.withLock {
            if !verdict.violations.isEmpty || !line.complaints.isEmpty { failed.append(seed) }
            let kinds = verdict.violations.map { $0.what.split { $0.isNumber }.joined() }
            for kind in Set(kinds) { broken[kind, default: []].append(seed) }
            collisions += verdict.collisions
            self.line.add(line)
        }
    }

    /// The types of violation, in order of decreasing frequency.
    var kinds: [(key: String, value: [UInt64])] {
        lock.withLock { broken.mapValues { $0.sorted() } }
            .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    }

    var all: (failed: [UInt64], collisions: Int, line: LineReport) {
        lock.withLock { (failed, collisions, line) }
    }
}

Soak.main()
