// FeltFidelity: how closely the acceleration of a modelled actuator follows the design.

import BridgeLink
import HapticCompiler
import HapticPatterns
import JSONText
import Prediction

/// The modelled acceleration of an actuator compared with a pattern, in just-noticeable differences
/// (JND).
///
/// The ideal actuator follows at once: level 1 is its rated acceleration, and half the level is
/// half of it. Within each time window the greatest acceleration, as a fraction of the rated one,
/// is compared with the greatest designed level by ``Fidelity/steps(between:and:)``. The result is
/// predicted, not measured.
struct FeltFidelity {
    /// The requested and the felt level during one event, 0...1 of full level.
    struct Moment {
        var wanted: Double
        var felt: Double
        var jnd: Double { Fidelity.steps(between: felt * 255, and: wanted * 255) }
        /// Whether the moment is too weak for a finger: 30 dB below full level.
        var isUnfelt: Bool { felt * 255 < Fidelity.leastFelt }
    }

    let actuator: ActuatorTraces
    /// The moment of each event of the pattern; nil for an event during which nothing is to be
    /// felt.
    private(set) var events: [Moment?]
    /// The mean difference in JND over all time windows in which something is designed or felt; 0
    /// if there are none.
    ///
    /// A window is as long as an asynchrony that is not noticed, ``Fidelity/onsetJND``, so that a
    /// smaller delay does not count against the actuator.
    let meanJND: Double
    /// The fraction of these windows that is within one just-noticeable difference, 0...1.
    let withinOne: Double

    /// The longest time after a tap in which its acceleration is sought, in microseconds; the next
    /// event ends it earlier.
    private static let tapWindow: Microseconds = 100_000

    init(_ actuator: ActuatorTraces, of pattern: HapticPattern, options: CompilerOptions) {
        self.actuator = actuator
        let mixed = MixedPattern(pattern, options: options)
        let felt = actuator.felt.samples.map { $0 / actuator.felt.rated }
        let wanted = Self.wanted(mixed, count: felt.count)
        let times = Self.times(wanted, felt)
        meanJND = times.isEmpty ? 0 : times.reduce(0) { $0 + $1.jnd } / Double(times.count)
        withinOne =
            times.isEmpty ? 1 : Double(times.count { $0.jnd <= 1 }) / Double(times.count)
        events = pattern.events.map { _ in nil }
        for (source, window) in Self.windows(of: mixed, pattern.events) {
            let range = Self.samples(window, felt.count)
            let moment = Moment(
                wanted: wanted[range].max() ?? 0, felt: felt[range].max() ?? 0)
            if moment.wanted * 255 >= 0.5 { events[source] = moment }
        }
    }

    /// Returns the greatest designed level of each millisecond.
    private static func wanted(_ mixed: MixedPattern, count: Int) -> [Double] {
        var wanted = [Double](repeating: 0, count: count)
        for piece in mixed.pieces where piece.sharpness != nil {
            for index in samples(piece.start..<piece.end, count) {
                let start = max(piece.start, Microseconds(index) * FeltAcceleration.step)
                let end = min(piece.end, start + FeltAcceleration.step)
                let level = max(piece.level.value(at: start), piece.level.value(at: end))
                wanted[index] = max(wanted[index], level)
            }
        }
        for tap in mixed.taps {
            let length = DeviceProfile.reference.tapLength(sharpness: tap.sharpness)
            for index in samples(tap.time..<(tap.time + length), count) {
                wanted[index] = max(wanted[index], tap.intensity)
            }
        }
        return wanted
    }

    private static func samples(_ window: Range<Microseconds>, _ count: Int) -> Range<Int> {
        let step = FeltAcceleration.step
        let first = min(count, Int(window.lowerBound / step))
        return first..<max(first, min(count, Int((window.upperBound + step - 1) / step)))
    }

    /// Returns all time windows in which there is something to compare.
    private static func times(_ wanted: [Double], _ felt: [Double]) -> [Moment] {
        let length = Int(Fidelity.onsetJND / FeltAcceleration.step)
        return stride(from: 0, to: felt.count, by: length).compactMap { start in
            let range = start..<min(start + length, felt.count)
            let time = Moment(wanted: wanted[range].max() ?? 0, felt: felt[range].max() ?? 0)
            return time.isUnfelt && time.wanted * 255 < Fidelity.leastFelt ? nil : time
        }
    }

    /// Returns the window of each event: for a tap until the next event, for a continuous event its
    /// span.
    private static func windows(
        of mixed: MixedPattern, _ events: [HapticEvent]
    ) -> [(source: Int, window: Range<Microseconds>)] {
        let starts = events.filter(\.type.isHaptic).map(\.time)
        var next = 0
        let taps = mixed.taps.map { tap in
            while next < starts.count, starts[next] <= tap.time { next += 1 }
            let end = min(next < starts.count ? starts[next] : .max, tap.time + tapWindow)
            return (source: tap.source, window: tap.time..<end)
        }
        return taps + mixed.spans.map { (source: $0.source, window: $0.start..<$0.end) }
    }
}

extension FeltFidelity {
    /// Returns the noticeable deviation of an event, in words; nil if there is none.
    func remark(onEvent index: Int, of pattern: HapticPattern) -> String? {
        guard let moment = events[index], moment.jnd >= 1 else { return nil }
        let actuator = "\(actuator.configuration.kind)".uppercased()
        let share =
            "\(Int((moment.felt / moment.wanted * 100).rounded())) % of the intensity requested"
        if moment.isUnfelt {
            let isERM = self.actuator.configuration.kind == .erm
            let reason = isERM ? ": too weak or too short to start the motor" : ""
            return "not felt on the \(actuator)\(reason)"
        }
        guard moment.felt < moment.wanted else {
            return "\(share) on the \(actuator): the event before still rings"
        }
        let event = pattern.events[index]
        let rise = Microseconds(self.actuator.configuration.rise) * 1_000
        let isShort = event.type == .hapticTransient || (event.length ?? .max) < rise
        return "\(share) on the \(actuator)"
            + (isShort ? ": too short for the actuator to rise" : "")
    }

    /// Returns the fidelity of one event as JSON.
    func json(ofEvent index: Int) -> JSONValue {
        guard let moment = events[index] else { return nil }
        return [
            "kind": .name(actuator.configuration.kind),
            "wanted": .thousandths(Int(moment.wanted * 1_000)),
            "felt": .thousandths(Int(moment.felt * 1_000)),
            "jnd": .thousandths(Int(moment.jnd * 1_000)),
        ]
    }

    /// The fidelity of the whole pattern as JSON.
    var json: JSONValue {
        [
            "kind": .name(actuator.configuration.kind),
            "jnd_mean": .thousandths(Int(meanJND * 1_000)),
            "within_one_jnd": .thousandths(Int(withinOne * 1_000)),
        ]
    }

    var text: String {
        "on the \(actuator.name), predicted: \(meanJND.text(decimals: 2)) JND on "
            + "average, less than 1 JND for \(Int((withinOne * 100).rounded())) % of the time"
    }
}
