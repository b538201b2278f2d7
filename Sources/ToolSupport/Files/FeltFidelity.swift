// FeltFidelity: compares the acceleration of a modeled actuator with the design.

import BridgeLink
import HapticCompiler
import HapticPatterns
import JSONText
import Prediction

/// The modeled acceleration of an actuator compared with a pattern, in just-noticeable differences
/// (JND).
///
/// An ideal actuator renders the design without delay. At level 1, the acceleration is the rated
/// acceleration; at half the level, it is half of the rated acceleration.
/// ``Fidelity/steps(between:and:)`` compares the peak after each tap, and every millisecond of a
/// continuous event, with the design. The result is predicted, not measured.
package struct FeltFidelity {
    /// The requested and the felt level of one event.
    package struct Moment {
        /// The maximum requested level, 0...1 of full level.
        package var wanted: Double
        /// The maximum felt level, 0...1 of full level.
        package var felt: Double
        /// The difference from the design in JND: at the peak of a tap, or as the mean over a
        /// continuous event.
        package var jnd: Double
        /// True if the event is too weak to be felt by a finger: more than 30 dB below full level.
        var isUnfelt: Bool { felt * 255 < Fidelity.leastFelt }

        /// Creates the levels of a tap.
        init(peak wanted: Double, felt: Double) {
            self.wanted = wanted
            self.felt = felt
            jnd = Fidelity.steps(between: felt * 255, and: wanted * 255)
        }

        /// Creates the levels of a continuous event.
        init(wanted: Double, felt: Double, jnd: Double) {
            self.wanted = wanted
            self.felt = felt
            self.jnd = jnd
        }
    }

    package let configuration: ActuatorConfiguration
    /// The levels of each event of the pattern; nil for an event that is not designed to be felt.
    package private(set) var events: [Moment?]
    /// The taps that are not felt separately, because they fuse with another tap or are hidden by a
    /// level, and the rule that reports each tap.
    private let merged: [Int: LoweringReport.Rule]

    /// The name of the actuator: "LRA", "ERM" or "wide-band actuator".
    package var name: String {
        "\(configuration.kind)" + (configuration.kind == .wideBand ? " actuator" : "")
    }

    /// The length of the window after a tap that is searched for the peak acceleration, in
    /// microseconds. The next event ends the window earlier.
    private static let tapWindow: Microseconds = 100_000
    /// The time after a tap in which a level is considered simultaneous with the tap, in
    /// microseconds.
    private static let underTap: Microseconds = 10_000

    /// Compares a prediction with a pattern.
    ///
    /// - Parameters:
    ///   - file: the pattern, and the stream from which the prediction was computed.
    ///   - pattern: the pattern of the file.
    ///   - gain: the gain of the prediction, above 0. Full level corresponds to the rated
    ///     acceleration times the gain.
    package init(
        _ prediction: FeltAcceleration, of file: PatternFile, _ pattern: HapticPattern,
        on configuration: ActuatorConfiguration, options: CompilerOptions, gain: Double = 1
    ) {
        self.configuration = configuration
        let lead = file.lead
        let losses = (file.report?.items ?? []).filter {
            $0.rule == .tapsFuse || $0.rule == .hiddenByLevel
        }
        merged = Dictionary(
            losses.map { ($0.event, $0.rule) }, uniquingKeysWith: { first, _ in first })
        let mixed = MixedPattern(pattern, options: options)
        let samples = ComparedSamples(
            prediction, after: lead, full: prediction.rated * gain, against: mixed,
            tapWindow: Self.tapWindow)
        let levels = samples.levels(of: mixed)
        let (wantedLevels, feltLevels) = (GreatestValues(levels), GreatestValues(samples.felt))
        events = pattern.events.map { _ in nil }
        for (tap, window) in Self.windows(of: mixed, pattern.events, isAligned: lead > 0) {
            let under = samples.range(of: tap.time..<(tap.time + Self.underTap))
            let wanted = max(tap.intensity, wantedLevels.greatest(in: under))
            let peak = feltLevels.greatest(in: samples.range(of: window))
            if wanted * 255 >= 0.5 { events[tap.source] = Moment(peak: wanted, felt: peak) }
        }
        let errors = samples.means(
            of: samples.errors(levels, mixed.taps), over: mixed.spans.map { $0.start..<$0.end })
        for (span, error) in zip(mixed.spans, errors) {
            let range = samples.range(of: span.start..<span.end)
            let wanted = wantedLevels.greatest(in: range)
            guard wanted * 255 >= 0.5 else { continue }
            events[span.source] = Moment(
                wanted: wanted, felt: feltLevels.greatest(in: range), jnd: error)
        }
    }

    /// Returns the window in which each tap is felt. A window ends at the next event. In an aligned
    /// stream, the actuator starts to rise before the next event begins, so the window ends halfway
    /// between the tap and the next event.
    private static func windows(
        of mixed: MixedPattern, _ events: [HapticEvent], isAligned: Bool
    ) -> [(tap: VoiceTap, window: Range<Microseconds>)] {
        let starts = events.filter(\.type.isHaptic).map(\.time)
        var next = 0
        return mixed.taps.map { tap in
            while next < starts.count, starts[next] <= tap.time { next += 1 }
            let following = next < starts.count ? starts[next] : .max
            let last = isAligned && following < .max ? (tap.time + following + 1) / 2 : following
            let end = min(last, tap.time + tapWindow)
            return (tap: tap, window: tap.time..<end)
        }
    }
}

extension FeltFidelity {
    /// The number of events that are designed to be felt.
    package var count: Int { events.count { $0 != nil } }

    /// The mean difference of the events in JND; 0 if no event is designed to be felt.
    package var meanJND: Double {
        count == 0 ? 0 : events.lazy.compactMap { $0?.jnd }.reduce(0, +) / Double(count)
    }

    /// The fraction of the events whose difference is less than one just-noticeable difference,
    /// 0...1.
    package var withinOne: Double {
        count == 0 ? 1 : 1 - Double(events.count { ($0?.jnd ?? 0) >= 1 }) / Double(count)
    }

    /// The number of events that differ from the design by at least one just-noticeable difference,
    /// or are not felt separately.
    package var notAsDesigned: Int { events.indices.count(where: isNotAsDesigned) }

    private func isNotAsDesigned(_ event: Int) -> Bool {
        events[event].map { $0.jnd >= 1 || merged[event] != nil } ?? false
    }

    /// The number of events that are designed to be felt but are not felt at all.
    package var unfelt: Int { events.count { $0.map { $0.isUnfelt && $0.jnd >= 1 } ?? false } }

    /// Returns advice on the events that are not felt as designed; empty if no advice is available.
    package func advice(on pattern: HapticPattern) -> [String] {
        var advice: [String] = []
        if let spacing = DeviceProfile(of: configuration).plant?.tapSpacing {
            let taps = pattern.events.indices.filter {
                pattern.events[$0].type == .hapticTransient && events[$0] != nil
            }.sorted { pattern.events[$0].time < pattern.events[$1].time }
            let isClose = zip(taps, taps.dropFirst()).contains { tap, next in
                pattern.events[next].time - pattern.events[tap].time < spacing
                    && (isNotAsDesigned(tap) || isNotAsDesigned(next))
            }
            let milliseconds = (spacing + 9_999) / 10_000 * 10
            if isClose {
                advice.append("place taps at least \(milliseconds) ms apart for the \(name)")
            }
        }
        if merged.values.contains(.hiddenByLevel) {
            let percent = Int(((Fidelity.tapOverLevel - 1) * 100).rounded())
            advice.append(
                "make a tap at least \(percent) % stronger than the level over which it plays")
        }
        return advice
    }

    /// The time after the end of a stream in which the actuator may still vibrate, in microseconds.
    package static let tail: Microseconds = 500_000

    /// Returns a description of the deviation of an event; nil if the deviation is not noticeable.
    package func remark(onEvent index: Int, of pattern: HapticPattern) -> String? {
        guard let moment = events[index], moment.jnd >= 1 else { return nil }
        if moment.isUnfelt {
            let isERM = configuration.kind == .erm
            let reason = isERM ? ": too weak or too short to start the motor" : ""
            return "not felt on the \(name)\(reason)"
        }
        guard moment.felt < moment.wanted else {
            guard moment.felt >= moment.wanted * 1.05 else {
                return "the \(name) does not follow the intensity in time"
            }
            let factor = (moment.felt / moment.wanted).text(decimals: 1)
            return "\(factor) times the intensity requested on the \(name): "
                + "the previous event still rings"
        }
        let percent = Int((moment.felt / moment.wanted * 100).rounded())
        let event = pattern.events[index]
        let rise = Microseconds(configuration.rise) * 1_000
        let isShort = event.type == .hapticTransient || (event.length ?? .max) < rise
        return "\(percent) % of the intensity requested on the \(name)"
            + (isShort ? ": too short for the actuator to rise" : "")
    }

    /// Returns the fidelity of one event as JSON.
    package func json(ofEvent index: Int) -> JSONValue {
        guard let moment = events[index] else { return nil }
        return [
            "kind": .name(configuration.kind),
            "wanted": .thousandths(Int(moment.wanted * 1_000)),
            "felt": .thousandths(Int(moment.felt * 1_000)),
            "jnd": .thousandths(Int(moment.jnd * 1_000)),
        ]
    }

    /// The fidelity of the whole pattern as JSON.
    package var json: JSONValue {
        [
            "kind": .name(configuration.kind),
            "not_as_designed": .number(notAsDesigned), "not_felt": .number(unfelt),
            "jnd_mean": .thousandths(Int(meanJND * 1_000)),
            "within_one_jnd": .thousandths(Int(withinOne * 1_000)),
        ]
    }

    package var text: String {
        "on the \(name), predicted: \(meanJND.text(decimals: 2)) JND on "
            + "average, less than 1 JND for \(Int((withinOne * 100).rounded())) % of the events"
    }
}
