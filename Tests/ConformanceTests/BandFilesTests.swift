// Tests of patterns by other authors with sharpness curves. A simulated image plays the patterns on
// a simulated wide-band actuator.

import BridgeLink
import DRV2605
import Foundation
import HapticCompiler
import HapticPatterns
import TestSupport
import Testing
import VirtualBoard

@Suite struct BandFilesTests {
    private static let actuator = WideBandActuator.reactor
    private static let profile: DeviceProfile = {
        var profile = DeviceProfile(of: .wideBand)
        profile.band?.response = actuator.points(every: 10, in: 60...400)
        return profile
    }()

    /// The patterns with sharpness curves that last at most 3 s.
    private static let patterns: [(name: String, pattern: HapticPattern)] = SharedFiles.ahap
        .compactMap { name in
            guard let pattern = try? SharedFiles.pattern(name), pattern.length <= 3_000_000,
                pattern.curves.contains(where: { $0.id == .hapticSharpnessControl })
            else { return nil }
            return (name, pattern)
        }

    @Test(.enabled(if: !patterns.isEmpty, "no shared files"), arguments: BoardSimulator.here)
    func filesAreFeltWithTheirFrequencyAndStrength(_ simulator: BoardSimulator) throws {
        #expect(Self.patterns.count >= 20)
        let rig = try ImageRig(simulator, .wideBand)
        var scores: [PeriodRule: BandScore] = [:]
        var onsets: [PeriodRule: BandScore] = [:]
        for (name, pattern) in Self.patterns {
            let compiled = HapticCompiler.compile(pattern, profile: Self.profile)
            rig.board.forgetTrace()
            rig.link.begin(compiled.bytes)
            rig.link.run(limit: compiled.renderedDuration + 2_000_000) {
                $0.current?.outcome != nil
            }
            let start = rig.board.traceTime(
                of: try #require(rig.link.current?.progress.startTime, "\(name)"))
            for rule in PeriodRule.allCases {
                let moments = rig.board.transactions.moments(
                    rule, image: ActuatorConfiguration.wideBand.image.bytes)
                let judge = BandJudge(pattern, Self.profile, moments, from: start)
                scores[rule, default: BandScore()] += judge.everything(on: Self.actuator)
                onsets[rule, default: BandScore()] += judge.onsets
            }
            rig.link.run(for: 60_000)
        }
        for rule in PeriodRule.allCases {
            let share = onsets[rule]!.frequencies * 100
            print("band_files_\(simulator.name)_\(rule) \(scores[rule]!), onsets \(share) %")
        }
        let (halfCycle, immediate) = (scores[.atNextHalfCycle]!, scores[.immediately]!)
        #expect(halfCycle.count > 10_000)
        #expect(halfCycle.frequencies >= 0.95 && halfCycle.levels >= 0.95)
        // The guarantees under the other hypotheses: frequencies must also be correct if the chip
        // adopts them immediately, and the frequencies of levels that start from 0 must be correct
        // under all three hypotheses.
        #expect(immediate.frequencies >= 0.95)
        for rule in PeriodRule.allCases { #expect(onsets[rule]!.frequencies == 1, "\(rule)") }
    }
}

/// The number of compared moments, and the numbers of moments with a frequency and with a level
/// within a just-noticeable difference.
struct BandScore: CustomStringConvertible {
    var count = 0
    var right = (frequencies: 0, levels: 0)

    var frequencies: Double { Double(right.frequencies) / Double(max(count, 1)) }
    var levels: Double { Double(right.levels) / Double(max(count, 1)) }

    var description: String {
        func percent(_ value: Double) -> String { String(format: "%.2f", value * 100) }
        return "\(count) moments, frequency \(percent(frequencies)) %, level \(percent(levels)) %"
    }

    static func += (one: inout BandScore, other: BandScore) {
        one.count += other.count
        one.right.frequencies += other.right.frequencies
        one.right.levels += other.right.levels
    }
}

/// A comparison of a chip's drive with the pattern that the chip plays.
private struct BandJudge {
    private let mixed: MixedPattern
    private let profile: DeviceProfile
    private let moments: [BandMoment]
    private let start: BoardTime

    init(
        _ pattern: HapticPattern, _ profile: DeviceProfile, _ moments: [BandMoment],
        from start: BoardTime
    ) {
        mixed = MixedPattern(pattern)
        (self.profile, self.moments, self.start) = (profile, moments, start)
    }

    /// Half of the just-noticeable difference of times. The drive may correspond to the pattern at
    /// any time within this tolerance.
    private static let tolerance: Microseconds = 12_000
    /// The just-noticeable difference of a frequency, as a fraction.
    private static let frequencyJND = 0.18

    private func isRight(_ frequency: Double, for sharpness: ClosedRange<Double>) -> Bool {
        let band = profile.band!
        let low = band.frequency(ofSharpness: sharpness.lowerBound)
        let high = band.frequency(ofSharpness: sharpness.upperBound)
        return frequency >= low * (1 - Self.frequencyJND)
            && frequency <= high * (1 + Self.frequencyJND)
    }

    /// The score of the frequencies of all drives that begin from 0.
    var onsets: BandScore {
        var score = BandScore()
        for (before, after) in zip(moments, moments.dropFirst())
        where before.drive == 0 && after.drive > 0 {
            let time = after.time - start
            guard let wanted = wanted(around: time, within: 1_000) else { continue }
            score.count += 1
            score.right.frequencies += isRight(after.frequency, for: wanted.sharpness) ? 1 : 0
        }
        return score
    }

    /// Returns the ranges of the pattern's intensity and sharpness around a time, or nil if nothing
    /// is felt.
    private func wanted(around time: Microseconds, within tolerance: Microseconds)
        -> (intensity: ClosedRange<Double>, sharpness: ClosedRange<Double>)?
    {
        var (intensities, sharpnesses) = ([Double](), [Double]())
        for piece in mixed.pieces
        where piece.start <= time + tolerance && piece.end > time - tolerance {
            for instant in [max(piece.start, time - tolerance), min(piece.end, time + tolerance)] {
                intensities.append(min(max(piece.level.value(at: instant), 0), 1))
                if let sharpness = piece.sharpness {
                    sharpnesses.append(sharpness.value(at: instant))
                }
            }
        }
        for tap in mixed.taps {
            let end = tap.time + profile.tapLength(sharpness: tap.sharpness)
            guard tap.time <= time + tolerance, end > time - tolerance else { continue }
            intensities.append(tap.intensity)
            sharpnesses.append(tap.sharpness)
        }
        guard let least = intensities.min(), let most = intensities.max(),
            let dull = sharpnesses.min(), let sharp = sharpnesses.max()
        else { return nil }
        return (least...most, min(max(dull, 0), 1)...min(max(sharp, 0), 1))
    }

    /// Returns the score of all milliseconds of the pattern at which a level is felt and no tap
    /// plays.
    func everything(on actuator: WideBandActuator) -> BandScore {
        var score = BandScore()
        var motion = WideBandMotion(actuator)
        let band = profile.band!
        let inner = band.range.lowerBound / 0.8...band.range.upperBound * 0.8
        let full = stride(from: inner.lowerBound, through: inner.upperBound, by: 0.5)
            .map { actuator.gain(at: $0) * WideBandActuator.drive(at: $0) }.min()!
        var rest = moments[...]
        var moment = BandMoment(time: 0, drive: 0, frequency: 100)
        let steps = Int(1e-3 / WideBandMotion.step)
        for millisecond in 0..<Int(mixed.end / 1_000) {
            var felt = 0.0
            for step in 0..<steps {
                let time = start + BoardTime(millisecond * 1_000 + step * 1_000 / steps)
                while let next = rest.first, next.time <= time {
                    moment = next
                    rest = rest.dropFirst()
                }
                felt = motion.advance(drive: moment.drive, frequency: moment.frequency)
            }
            let time = Microseconds(millisecond + 1) * 1_000
            guard !isDuringTap(time), moment.drive > 0,
                let wanted = wanted(around: time, within: Self.tolerance),
                wanted.intensity.upperBound * 255 >= Fidelity.leastFelt
            else { continue }
            let level = min(
                max(felt / full, wanted.intensity.lowerBound), wanted.intensity.upperBound)
            let difference = Fidelity.steps(between: felt / full * 255, and: level * 255)
            score.count += 1
            score.right.frequencies += isRight(moment.frequency, for: wanted.sharpness) ? 1 : 0
            score.right.levels += difference <= 1 ? 1 : 0
        }
        return score
    }

    /// Returns true if a tap plays or the actuator still moves after a tap.
    private func isDuringTap(_ time: Microseconds) -> Bool {
        mixed.taps.contains {
            $0.time <= time && time < $0.time + profile.tapLength(sharpness: $0.sharpness) + 20_000
        }
    }
}
