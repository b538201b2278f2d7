// RandomOperations: random operations on players, and the comparison of the played levels with the
// levels of a simple mixer.

import BridgeLink
import HapticPatterns
import TestSupport
import VirtualBoard

@testable import BoardEngine
@testable import HapticBridge

/// A host and the in-process board with one clock, and access to the bus trace.
protocol TracedRig: AnyObject {
    var board: InProcessBoard { get }
    /// The last level in the discarded part of the trace.
    var forgotten: Int { get set }
    var now: HostTime { get }
}

extension TracedRig {
    /// Returns the last level written to the chip before a given time.
    func level(at time: HostTime) -> Int {
        let write = board.transactions.last {
            $0.start <= time.microseconds && $0.write?.register == 2
        }
        return write?.write.map { Int($0.value) } ?? forgotten
    }

    /// Discards the trace so far, in order to limit the size of the trace in long runs.
    func forgetTrace() {
        forgotten = level(at: now)
        board.forgetTrace()
    }

    /// Returns the levels written to the chip since a given time.
    func levels(since time: HostTime) -> [(time: HostTime, value: UInt8)] {
        board.transactions.levels.map { (HostTime(microseconds: $0.time), $0.value) }
            .filter { $0.time >= time }
    }
}

enum RandomOperations {
    /// Returns a pattern of taps and continuous events. The continuous events start and end at
    /// random times, or are endless.
    static func pattern(using generator: inout SeededGenerator) -> HapticPattern {
        let taps = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
            HapticEvent(
                .hapticTransient, time: .random(in: 0...400_000, using: &generator),
                intensity: .random(in: 0.2...1, using: &generator), sharpness: 1)
        }
        let events = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            HapticEvent(
                .hapticContinuous, time: .random(in: 0...200_000, using: &generator),
                duration: generator.chance(oneIn: 5)
                    ? nil : .random(in: 20_000...400_000, using: &generator),
                intensity: .random(in: 0.2...1, using: &generator))
        }
        return HapticPattern(events: events + taps)
    }

    static func command(
        at now: HostTime, using generator: inout SeededGenerator
    ) -> PlayerCommand {
        let later =
            generator.chance(oneIn: 3) ? now + .random(in: 0...60_000, using: &generator) : 0
        switch Int.random(in: 0..<16, using: &generator) {
        case 0...3: return .start(at: later)
        case 4: return .start(at: later, from: .random(in: 0...300_000, using: &generator))
        case 5: return .stop(at: later)
        case 6: return .pause(at: later)
        case 7: return .resume(at: later)
        case 8: return .seek(offset: .random(in: 0...500_000, using: &generator))
        case 9: return .setRate([0.5, 1, 2].randomElement(using: &generator)!)
        case 10:
            return .setLoop(
                Bool.random(using: &generator),
                end: [0, 100_000, 250_000].randomElement(using: &generator)!)
        case 11: return .setMuted(generator.chance(oneIn: 3))
        case 12: return .cancel
        case 13: return .schedule(curve(using: &generator), at: later)
        default:
            let value = Double.random(in: 0...1, using: &generator)
            let parameter = HapticDynamicParameter(
                .hapticIntensityControl, time: .random(in: 0...20_000, using: &generator),
                value: value)
            return .send([parameter], at: later)
        }
    }

    private static func curve(using generator: inout SeededGenerator) -> HapticParameterCurve {
        var time: Microseconds = 0
        let points = (0..<3).map { _ -> HapticParameterCurve.Point in
            defer { time += .random(in: 50_000...200_000, using: &generator) }
            return .init(time: time, value: .random(in: 0...1, using: &generator))
        }
        return HapticParameterCurve(.hapticIntensityControl, time: 0, points: points)
    }

    /// Returns a description of an incorrect level at a given time, or nil if the level is correct.
    ///
    /// A ramp changes every 5 ms (SPEC 6), and a step may occur between ticks. The level is
    /// therefore accepted if it was correct at any time since the last step, or if it is the level
    /// of a tap that is playing.
    static func difference(
        _ rig: some TracedRig, _ references: [ReferencePlayer], at time: HostTime
    ) -> String? {
        let nearby = stride(from: time - 6_500, through: time + 1_000, by: 500).map { moment in
            references.map { $0.level(at: moment) }.max() ?? 0
        }
        let level = Double(rig.level(at: time))
        let legal = (nearby.min()! - 3)...(nearby.max()! + 3)
        let taps = references.flatMap { $0.taps(in: (time - 7_000)...(time + 1_000)) }
        let isLegal = legal.contains(level) || taps.contains { abs($0.level - level) <= 3 }
        return isLegal ? nil : "\(level) instead of \(legal) or of \(taps.map(\.level))"
    }

    /// Returns a description of a tap that is missing in a time range, or nil if every tap was
    /// played. If two taps are on adjacent ticks, one tap may replace the other tap.
    static func missedTap(
        _ rig: some TracedRig, _ references: [ReferencePlayer], in range: ClosedRange<HostTime>
    ) -> String? {
        let taps = references.flatMap { $0.taps(in: range) }
        let writes = rig.levels(since: range.lowerBound - 1_000)
        let missed = taps.first { tap in
            let others = taps.filter { abs($0.time - tap.time) <= 500 }
            return tap.level > 3
                && !writes.contains { write in
                    abs(write.time - tap.time) <= 700
                        && others.contains { abs(Double(write.value) - $0.level) <= 3 }
                }
        }
        return missed.map { "no tap of \($0.level) at \($0.time.microseconds)" }
    }
}
