// Tests of many programs on one board in seeded runs. As with `.virtualTime`, each run has its own
// virtual time.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@Suite struct ProgramSoakTests {
    /// Reads a number set by `make soak-programs`; nil in other test runs.
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// Runs seeds on all processors. Prints the errors of each seed, and checks that no descriptor
    /// remains open.
    @Test func whateverProgramsDoEachIsPlayedAsItAsks() async {
        VirtualProgram.registerTool()
        let first = Self.number("PROGRAM_SEED_FROM") ?? 0
        let count = Self.number("PROGRAM_SEEDS") ?? 1_000
        let (begun, open) = (Link.now(), Self.openDescriptors)
        let next = LockedValue(first)
        let failed = LockedValue(0)
        await withTaskGroup(of: Void.self) { group in
            // Two worlds run per processor, because the threads in a world wait for each other.
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    while let seed = Self.claim(next, before: first + count) {
                        let complaints = await Self.complaints(seed)
                        guard !complaints.isEmpty else { continue }
                        failed.withLock { $0 += 1 }
                        Issue.record("seed \(seed): \(complaints.joined(separator: "; "))")
                    }
                }
            }
        }
        guard Self.number("PROGRAM_SEEDS") != nil else { return }
        let pace = Double(count) / (Double(Link.now() - begun) / 1_000_000)
        print("figure soak_programs_seeds \(count) seeds")
        print("figure soak_programs_pace \(String(format: "%.1f", pace)) seeds/s")
        print("figure soak_programs_violations \(failed.withLock { $0 }) seeds")
        // No other test opens or closes descriptors at the same time.
        #expect(Self.openDescriptors <= open + 16, "\(open) descriptors were open before the runs")
    }

    private static func claim(_ next: LockedValue<UInt64>, before end: UInt64) -> UInt64? {
        next.withLock { next in
            guard next < end else { return nil }
            defer { next += 1 }
            return next
        }
    }

    private static func complaints(_ seed: UInt64) async -> [String] {
        do {
            return try await VirtualTime.run { try ProgramWorld.run(seed) }
        } catch { return ["\(error)"] }
    }

    /// The number of open descriptors of this process; 0 if the system does not list them.
    private static var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}
