// Figures of the effects of bit errors on the line. Real sessions and the firmware core run in
// virtual time.

import BridgeLink
import HapticCompiler
import TestSupport
import VirtualBoard

enum NoiseFigures {
    private static let seeds: ClosedRange<UInt64> = 1...20
    private static let count = 500
    /// The interval between two events, in ticks: 10 ms.
    private static let spacing = 40
    private static let lead: Microseconds = 300_000

    static func print() throws {
        for bytes in [2_003, 1_009, 211, 127, 67] {
            note("noise: one flipped bit every \(bytes) bytes, in both directions")
            var exact = 0
            var late = 0
            var stopped = 0
            for seed in seeds {
                let clean = NoiseRun(bytes: nil, seed: seed)
                let run = NoiseRun(bytes: bytes, seed: seed)
                exact += zip(clean.writes, run.writes).count {
                    $0.value == $1.value && abs($0.lateness) < exactWithin
                        && abs($1.lateness) < exactWithin
                }
                late += run.late
                stopped += run.failure == nil ? 0 : 1
                if let failure = run.failure { note("  seed \(seed): \(failure)") }
            }
            let runs = seeds.count
            printFigure(
                "noise_exact_1in\(bytes)", 100 * Double(exact) / Double(runs * Self.count), "%",
                decimals: 2)
            printFigure("noise_late_1in\(bytes)", late, "events")
            printFigure("noise_stopped_1in\(bytes)", stopped, "of \(runs) runs")
        }
    }

    /// The maximum deviation that counts as exact, in microseconds: the possible clock error at the
    /// start of a session.
    private static let exactWithin = 500.0

    private struct NoiseRun {
        /// The values that were written to the register, and the lateness of each write, in
        /// microseconds.
        var writes: [(value: UInt8, lateness: Double)] = []
        /// The number of late events that the device has counted.
        var late = 0
        /// The reason why the pattern was not played to its end; nil if it was played completely.
        var failure: String?

        init(bytes: Int?, seed: UInt64) {
            let events = [StreamEvent].differingLevels(count, ticksApart: spacing, seed: seed)
            let end = StreamEvent(.end, at: count * spacing + 40)
            let link = JitterLink(.usb, drift: 40, seed: seed, noise: bytes)
            guard link.connect() else {
                failure = "no session"
                return
            }
            let start = link.now + lead
            link.begin(EventStreamEncoder.encode(events + [end]), start: .at(start))
            link.run(until: start + 20_000_000) { $0.playback?.outcome != nil }
            switch link.playback?.outcome {
            case .success?: break
            case .failure(let error)?: failure = "\(error)"
            case nil: failure = "is still playing: \(link.playback!.progress)"
            }
            late = link.playback?.progress.lateEvents ?? 0
            writes = zip(events, link.levels(since: start)).map {
                ($1.value, $1.time - Double($0.tick) * 250)
            }
        }
    }
}
