// FeltFidelity: how near what a modelled actuator makes of a stream comes to what was designed.

import AHAP
import BridgeLink
import HapticCompiler
import VirtualBoard

/// The modelled acceleration of an actuator against a pattern, in just-noticeable differences.
///
/// The ideal actuator follows at once: level 1 is its rated acceleration, half a level half of it. What
/// is compared is what the greatest acceleration of some time is, as part of the rated one, with the
/// greatest level that is designed in it, by ``Fidelity/steps(between:and:)``. Predicted, not measured.
struct FeltFidelity {
    /// What is asked and what is felt in the time of one event, 0...1 of full level.
    struct Moment {
        var wanted: Double
        var felt: Double
        var jnd: Double { Fidelity.steps(between: felt * 255, and: wanted * 255) }
        /// Whether it is too weak for a finger: 30 dB below full.
        var isUnfelt: Bool { felt * 255 < Fidelity.leastFelt }
    }

    let actuator: ActuatorTraces
    /// Of each event of the pattern; nil for one of which nothing is to be felt.
    private(set) var events: [Moment?]
    /// The mean over all times in which something is designed or felt; 0 if there are none.
    ///
    /// A time is as long as an asynchrony that is not noticed, ``Fidelity/onsetJND``: what comes later
    /// by less is not counted against the actuator.
    let meanJND: Double
    /// The part of these times that is within one just-noticeable difference, 0...1.
    let withinOne: Double

    /// How long after a tap its acceleration may come, in microseconds, if no event comes before.
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

    /// The greatest designed level of each millisecond.
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

    /// All times in which there is something to compare.
    private static func times(_ wanted: [Double], _ felt: [Double]) -> [Moment] {
        let length = Int(Fidelity.onsetJND / FeltAcceleration.step)
        return stride(from: 0, to: felt.count, by: length).compactMap { start in
            let range = start..<min(start + length, felt.count)
            let time = Moment(wanted: wanted[range].max() ?? 0, felt: felt[range].max() ?? 0)
            return time.isUnfelt && time.wanted * 255 < Fidelity.leastFelt ? nil : time
        }
    }

    /// Of a tap until the next event, of a continuous event its span.
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
    /// What is noticed of an event, in words; nil if nothing is.
    func remark(onEvent index: Int, of pattern: HapticPattern) -> String? {
        guard let moment = events[index], moment.jnd >= 1 else { return nil }
        let actuator = "\(actuator.configuration.kind)".uppercased()
        let share = "\(Int((moment.felt / moment.wanted * 100).rounded())) % of what is asked"
        if moment.isUnfelt {
            let isERM = self.actuator.configuration.kind == .erm
            let reason = isERM ? ": too weak or too short to start it" : ""
            return "not felt on the \(actuator)\(reason)"
        }
        guard moment.felt < moment.wanted else {
            return "\(share) on the \(actuator): what came before rings on"
        }
        let event = pattern.events[index]
        let rise = Microseconds(self.actuator.configuration.rise) * 1_000
        let isShort = event.type == .hapticTransient || (event.length ?? .max) < rise
        return "\(share) on the \(actuator)" + (isShort ? ": too short for it to rise" : "")
    }

    /// Of one event.
    func json(ofEvent index: Int) -> JSONValue {
        guard let moment = events[index] else { return nil }
        return [
            "kind": .name(actuator.configuration.kind),
            "wanted": .thousandths(Int(moment.wanted * 1_000)),
            "felt": .thousandths(Int(moment.felt * 1_000)),
            "jnd": .thousandths(Int(moment.jnd * 1_000)),
        ]
    }

    /// Of the whole.
    var json: JSONValue {
        [
            "kind": .name(actuator.configuration.kind),
            "jnd_mean": .thousandths(Int(meanJND * 1_000)),
            "within_one_jnd": .thousandths(Int(withinOne * 1_000)),
        ]
    }

    var text: String {
        "on the \(actuator.name), predicted: \(meanJND.text(decimals: 2)) of what is noticed on "
            + "average, less than 1 for \(Int((withinOne * 100).rounded())) % of the time"
    }
}
