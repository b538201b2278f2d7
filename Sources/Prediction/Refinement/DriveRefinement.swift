// DriveRefinement: improves the drive plan of a measured actuator by a search.

import CDRV2605Model
import HapticCompiler
import HapticPatterns

/// A search for small changes to a stream that bring the felt output closer to the design.
///
/// The rules of the drive plan leave a margin, because actuators deviate from their data sheets. If
/// an actuator has been measured, its model predicts the felt output, and no margin is needed. The
/// search passes over the stream in order of time. At the events near which the predicted output
/// deviates most from the design, the search tries ``StreamVariants`` and repeatedly keeps the
/// variant whose ``FeltError`` in the following ``horizon`` is the least. The peak of a tap remains
/// near its time.
struct DriveRefinement {
    /// The events up to END, in order of time.
    private(set) var events: [StreamEvent]

    private let design: FeltDesign
    /// The millisecond of the timeline of the design at which the stream starts.
    private let start: Int
    private let rest: PlayedActuator
    private let variants: StreamVariants
    /// The felt level at the end of each millisecond of the stream, in steps.
    private var felt: [Double]

    /// The time before an event within which a variant can begin, in milliseconds.
    private static let behind = 20
    /// The maximum time, in milliseconds, by which the peak of a tap may be late.
    private static let lateMax = 32
    /// The time after an event within which the effects of a variant are examined, in milliseconds.
    private static let horizon = 300
    /// The maximum number of passes. A pass can use the time that the changes of the previous pass
    /// have freed.
    private static let passes = 3
    /// The maximum number of events at which variants are tried in a pass.
    private static let spotsMax = 250
    /// The maximum number of variants that are chosen at an event in a pass.
    private static let roundsMax = 6
    /// The error near an event below which no variant is tried, in steps times milliseconds.
    private static let leastError = 0.5
    /// The gain up to which a variant is not chosen, in steps times milliseconds.
    private static let leastGain = 0.01

    /// Creates a search.
    ///
    /// - Parameters:
    ///   - events: the events of the stream up to END, in order of time.
    ///   - lead: the delay of the felt stream relative to the design, 0...100 ms.
    ///   - model: the actuator at rest.
    ///   - lengths: the lengths of the taps.
    init(
        _ events: [StreamEvent], for design: FeltDesign, lead: Int, on model: actuator_model,
        _ lengths: TapLengths
    ) {
        self.events = events
        self.design = design.withPeaks(late: Self.lateMax)
        start = FeltDesign.ahead - lead
        rest = PlayedActuator(model, lengths)
        variants = StreamVariants(lengths)
        var actuator = rest
        felt = [0] + actuator.play(events, until: design.count - start)
    }

    /// Searches for better events.
    mutating func refine() {
        for _ in 0..<Self.passes {
            let before = (events: events, felt: felt, error: error(in: felt.indices))
            pass(over: leastErrorOfSpot())
            var actuator = rest
            felt = [0] + actuator.play(events, until: felt.count - 1)
            guard error(in: felt.indices) < before.error else {
                (events, felt) = (before.events, before.felt)
                return
            }
        }
    }
}

/// The steps of the search.
extension DriveRefinement {
    /// Returns the least error near an event at which variants are tried.
    private func leastErrorOfSpot() -> Double {
        let errors = events.map { error(in: window(of: $0)) }.sorted(by: >)
        return max(Self.leastError, errors.prefix(Self.spotsMax).last ?? 0)
    }

    /// Tries the variants at the events near which the error is at least the given error.
    private mutating func pass(over leastError: Double) {
        var actuator = rest
        var (index, spots) = (0, 0)
        while index < events.count, spots < Self.spotsMax {
            let window = window(of: events[index])
            if error(in: window) >= leastError {
                spots += 1
                if window.lowerBound > actuator.millisecond {
                    let next = firstIndex(from: actuator.millisecond)
                    _ = actuator.play(events[next...], until: window.lowerBound)
                }
                improve(at: index, from: actuator, until: window.upperBound)
            }
            index += 1
        }
    }

    /// Replaces the events after the present time of an actuator by their best variant.
    private mutating func improve(at index: Int, from actuator: PlayedActuator, until end: Int) {
        let (now, first) = (actuator.millisecond, firstIndex(from: actuator.millisecond))
        let ticks = Self.tick(at: now)..<Self.tick(at: end)
        var part = first..<max(first, firstIndex(from: end))
        var least = error(in: now + 1..<end)
        for _ in 0..<Self.roundsMax where part.contains(index) {
            var best: (events: [StreamEvent], felt: [Double])?
            for variant in variants.variants(of: Array(events[part]), at: index - first)
            where Self.isValid(variant, in: ticks) {
                var moved = actuator
                let trial = moved.play(variant, until: end - 1)
                let error = error(in: now + 1..<end) { trial[$0 - now - 1] }
                if error < least - Self.leastGain { (least, best) = (error, (variant, trial)) }
            }
            guard let best else { return }
            felt.replaceSubrange(now + 1..<end, with: best.felt)
            events.replaceSubrange(part, with: best.events)
            part = first..<first + best.events.count
        }
    }

    /// Returns whether the events begin in the given range of times, and END is the last one if the
    /// events contain it.
    private static func isValid(_ events: [StreamEvent], in ticks: Range<Ticks>) -> Bool {
        events.allSatisfy { ticks.contains($0.tick) }
            && !events.dropLast().contains { $0.content == .end }
    }
}

/// Times, and errors within a range of times.
extension DriveRefinement {
    private static func tick(at millisecond: Int) -> Ticks {
        StreamTime.nearestTick(to: Microseconds(millisecond) * 1_000)
    }

    /// Returns the index of the first event that begins in the given millisecond or later.
    private func firstIndex(from millisecond: Int) -> Int {
        events.partitioningIndex { $0.tick >= Self.tick(at: millisecond) }
    }

    /// Returns the milliseconds in which the effects of a change to an event are examined.
    private func window(of event: StreamEvent) -> Range<Int> {
        let start = Int(StreamTime.time(of: event.tick) / 1_000)
        let isVaried = event.duration <= StreamVariants.longestRamp
        let end = start + (isVaried ? Int(StreamTime.time(of: event.duration) / 1_000) : 0)
        return (start - Self.behind..<end + Self.horizon).clamped(to: felt.indices)
    }

    /// Returns the error in a range of milliseconds of the stream, in steps times milliseconds.
    private func error(in range: Range<Int>) -> Double { error(in: range) { felt[$0] } }

    /// Returns the error in a range of milliseconds of the stream whose felt levels differ from
    /// ``felt``, in steps times milliseconds.
    private func error(in range: Range<Int>, felt changed: (Int) -> Double) -> Double {
        let timeline = range.lowerBound + start..<range.upperBound + start
        let sum = design.errors(in: timeline.clamped(to: 0..<design.count)) { index in
            let time = index - start
            guard !range.contains(time) else { return changed(time) }
            return felt.indices.contains(time) ? felt[time] : 0
        }
        return sum.levels + FeltError.tapWeight * sum.taps
    }
}
