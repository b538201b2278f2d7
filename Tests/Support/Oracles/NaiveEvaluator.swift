// NaiveEvaluator: the output that a pattern specifies at an instant, calculated by a slow and
// simple method that shares no code with the compiler. Tests compare compiled streams with this
// output.

import Foundation
import HapticPatterns

/// An evaluation of a pattern at each millisecond.
public struct NaiveEvaluator {
    /// The state that is perceived at one instant.
    public struct Instant {
        public var level = 0.0
        public var sharpness = 0.0
        /// The highest level of the layers that the strongest layer masks.
        public var runnerUp = 0.0
        /// The index of the event that is perceived; -1 if no event is perceived.
        public var source = -1
    }

    /// The state perceived at each millisecond.
    public private(set) var instants: [Instant]
    /// True for each millisecond that is less than one millisecond away from a jump.
    public private(set) var nearJump: [Bool]
    private let pattern: HapticPattern

    public init(_ pattern: HapticPattern) {
        self.pattern = pattern
        let spans = pattern.events.map { Self.phases(of: $0, in: pattern) }
        let end = max(spans.map(\.end).max() ?? 0, pattern.length)
        let count = Int(end / 1_000) + 3
        instants = Array(repeating: Instant(), count: count)
        nearJump = Array(repeating: false, count: count)
        markJumps(spans)
        let gains = control(.hapticIntensityControl, count: count)
        let shifts = control(.hapticSharpnessControl, count: count)
        for (index, event) in pattern.events.enumerated() where event.type == .hapticContinuous {
            let span = spans[index]
            for instant in Int(
                (event.time + 999) / 1_000)..<max(
                    Int((event.time + 999) / 1_000), Int((span.end + 999) / 1_000))
            {
                let factor = span.factor(at: Int64(instant) * 1_000)
                let level = min(max(event.intensity * gains[instant], 0), 1) * factor
                let sharpness = min(max(event.sharpness + shifts[instant], 0), 1)
                add(level, sharpness, of: index, at: instant)
            }
        }
    }

    private mutating func add(_ level: Double, _ sharpness: Double, of event: Int, at index: Int) {
        if level >= instants[index].level {
            instants[index].runnerUp = instants[index].level
            instants[index].level = level
            instants[index].sharpness = sharpness
            instants[index].source = event
        } else {
            instants[index].runnerUp = max(instants[index].runnerUp, level)
        }
    }

    /// Returns the intensity of a transient, 0...1.
    public func intensity(of event: HapticEvent) -> Double {
        min(max(event.intensity * value(of: .hapticIntensityControl, at: event.time), 0), 1)
    }

    // MARK: Controls

    /// Returns the points of every source that sets a parameter, in the order in which the sources
    /// take effect.
    private func writers(_ id: DynamicParameterID) -> [[(time: Int64, value: Double)]] {
        let steps = pattern.parameters.filter { $0.id == id }.map { [($0.time, $0.value)] }
        let curves = pattern.curves.filter { $0.id == id && !$0.points.isEmpty }
            .map { curve in curve.points.map { (curve.time + $0.time, $0.value) } }
        let all: [[(time: Int64, value: Double)]] = steps + curves
        return all.enumerated().sorted { ($0.1[0].time, $0.0) < ($1.1[0].time, $1.0) }
            .map(\.element)
    }

    /// Returns the value of a control at a given time.
    public func value(of id: DynamicParameterID, at time: Int64) -> Double {
        guard let writer = writers(id).last(where: { $0[0].time <= time }) else {
            return id.defaultValue
        }
        return Self.value(of: writer, at: time)
    }

    private static func value(of writer: [(time: Int64, value: Double)], at time: Int64) -> Double {
        // Finds, by binary search, the last point that is not later than the time.
        var low = 0
        var high = writer.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if writer[middle].time <= time { low = middle } else { high = middle }
        }
        guard low + 1 < writer.count else { return writer[low].value }
        let (from, to) = (writer[low], writer[low + 1])
        let part = Double(time - from.time) / Double(to.time - from.time)
        return from.value * (1 - part) + to.value * part
    }

    /// Returns the value of a control at each millisecond.
    private func control(_ id: DynamicParameterID, count: Int) -> [Double] {
        let writers = writers(id)
        var next = 0
        return (0..<count).map { index in
            let time = Int64(index) * 1_000
            while next < writers.count, writers[next][0].time <= time { next += 1 }
            return next == 0 ? id.defaultValue : Self.value(of: writers[next - 1], at: time)
        }
    }

    // MARK: Envelopes

    struct Phases {
        var start: Int64
        var full: Int64
        var fall: Int64
        var end: Int64

        func factor(at time: Int64) -> Double {
            if time < start || time >= end { return 0 }
            let rising = full == start ? 1 : min(Double(time - start) / Double(full - start), 1)
            if time < fall { return rising }
            let reached = full == start ? 1 : min(Double(fall - start) / Double(full - start), 1)
            return end == fall ? 0 : reached * Double(end - time) / Double(end - fall)
        }
    }

    private static func phases(of event: HapticEvent, in pattern: HapticPattern) -> Phases {
        guard event.type == .hapticContinuous else {
            return Phases(start: event.time, full: event.time, fall: event.time, end: event.time)
        }
        let full = event.time + seconds(event.envelope.attackTime)
        guard event.envelope.sustained else {
            let end = full + seconds(event.envelope.decayTime)
            return Phases(start: event.time, full: full, fall: full, end: end)
        }
        let isEndless = (event.length ?? 0) == 0
        let fall =
            isEndless
            ? max(event.time + 30_000_000, pattern.length) : event.time + event.length!
        let end = fall + seconds(event.envelope.releaseTime)
        return Phases(start: event.time, full: full, fall: fall, end: end)
    }

    /// Converts an adjuster to microseconds, from 5 ms to 1 s on an exponential scale. The result
    /// is 0 if there is no adjuster. Controls of the adjusters are ignored, because no file in the
    /// corpus contains one.
    private static func seconds(_ adjuster: Double) -> Int64 {
        adjuster <= 0 ? 0 : Int64((5_000 * pow(200, adjuster)).rounded())
    }

    // MARK: Jumps

    private mutating func markJumps(_ spans: [Phases]) {
        for (event, span) in zip(pattern.events, spans) where event.type == .hapticContinuous {
            for time in [span.start, span.fall, span.end] { mark(time) }
        }
        for id in [DynamicParameterID.hapticIntensityControl, .hapticSharpnessControl] {
            for writer in writers(id) {
                mark(writer[0].time)
                for (point, next) in zip(writer, writer.dropFirst())
                where next.time - point.time < 250 {
                    mark(point.time)
                    mark(next.time)
                }
            }
        }
    }

    private mutating func mark(_ time: Int64) {
        let first = Int((time - 999 + 999) / 1_000)
        for index in max(0, first)...(first + 1)
        where index < nearJump.count && abs(Int64(index) * 1_000 - time) < 1_000 {
            nearJump[index] = true
        }
    }
}
