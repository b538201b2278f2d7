// CaptureFit: the relation between the clock of a logic analyzer and the clock of the board.

import BridgeLink
import HapticPatterns

/// The linear relation between the times of a capture and the times of a stream. The relation is
/// computed from the levels, because nothing else connects the two clocks.
struct CaptureFit: Equatable {
    /// A time in microseconds, and the value that is written at that time.
    struct Level: Equatable {
        var time: Double
        var value: Int
    }

    /// The time of tick 0 in the capture, in microseconds.
    var origin: Double
    /// The duration, on the clock of the capture, of one second on the clock of the board, in
    /// seconds.
    var rate: Double

    /// The maximum difference between the rates of the two clocks: 0.6 % between a board with a
    /// ceramic resonator and its host, plus 0.1 % for the analyzer.
    static let driftMax = 0.007
    /// The maximum deviation of a level, in microseconds.
    static let deviationMax = 1_000.0

    /// The number of levels, distributed over the stream, that the search begins with.
    private static let anchors = 4
    /// The number of levels after which an attempt is abandoned if it has found too few matches.
    private static let trial = 40
    /// The maximum number of comparisons of a search. Without this limit, the search in a capture
    /// with many levels of another stream would take a long time.
    private static let effortMax = 5_000_000
    /// The minimum interval between two levels from which a rate is computed, in microseconds.
    private static let baseline = 500_000.0

    /// The times of two levels with the same value, one in the stream and one in the capture.
    private typealias Match = (wanted: Double, found: Double)

    /// The matches of an attempt, and the number of levels that the capture should contain but
    /// lacks. Levels before or after the capture do not count.
    private struct Attempt {
        var matches: [Match] = []
        var missing = 0

        var score: Int { matches.count - missing }
    }

    /// The minimum number of levels in a capture that must match.
    private static let matchesMin = 8

    /// Finds the relation for which the capture contains most of the levels of a stream; nil if too
    /// few levels match, or if at least a third of the levels that the capture should contain are
    /// missing.
    init?(_ wanted: [Level], in capture: [Level]) {
        guard let matches = Self.best(wanted, capture) else { return nil }
        self.init(matches)
        // The search prefers the nearest levels. Once a line is known, the levels that belong to
        // the line are determined again, and the line is fitted to these levels.
        for _ in 0..<3 {
            let better = wanted.compactMap { level -> Match? in
                Self.nearest(level.value, self.time(of: level.time), Self.deviationMax, capture)
                    .map { (level.time, capture[$0].time) }
            }
            guard better.count >= 2 else { break }
            self.init(better)
        }
    }

    /// Fits a line. The offset of the line is the median deviation, so a few misplaced levels have
    /// little effect.
    private init(_ matches: [Match]) {
        let count = Double(matches.count)
        let (wanted, found) = (
            matches.reduce(0) { $0 + $1.wanted } / count,
            matches.reduce(0) { $0 + $1.found } / count
        )
        let spread = matches.reduce(0) { $0 + ($1.wanted - wanted) * ($1.wanted - wanted) }
        let product = matches.reduce(0) { $0 + ($1.wanted - wanted) * ($1.found - found) }
        let slope = spread > 0 ? product / spread : 1
        let rate = min(max(slope, 1 - Self.driftMax), 1 + Self.driftMax)
        let offsets = matches.map { $0.found - $0.wanted * rate }.sorted()
        (origin, self.rate) = (offsets[offsets.count / 2], rate)
    }

    /// Returns the time in the capture that corresponds to a time in the stream.
    func time(of wanted: Double) -> Double { origin + wanted * rate }

    /// Returns the time in the stream that corresponds to a time in the capture, in whole
    /// microseconds.
    func streamTime(of time: Double) -> Microseconds {
        Microseconds(((time - origin) / rate).rounded())
    }

    // MARK: Search

    private static func best(_ wanted: [Level], _ capture: [Level]) -> [Match]? {
        var (best, effort) = (Attempt(), 0)
        for part in 0..<anchors where !wanted.isEmpty {
            let anchor = part * (wanted.count - 1) / (anchors - 1)
            for (index, level) in capture.enumerated()
            where level.value == wanted[anchor].value && effort < effortMax {
                let attempt = follow(wanted, from: anchor, capture, from: index, &effort)
                if attempt.score > best.score { best = attempt }
                if best.score * 100 >= wanted.count * 98 { return best.matches }
            }
        }
        let isEnough = best.matches.count >= min(matchesMin, wanted.count)
        return isEnough && best.matches.count > 2 * best.missing ? best.matches : nil
    }

    /// Returns the levels that match if the given level of the stream is the given level of the
    /// capture.
    private static func follow(
        _ wanted: [Level], from anchor: Int, _ capture: [Level], from index: Int,
        _ effort: inout Int
    ) -> Attempt {
        let first: Match = (wanted[anchor].time, capture[index].time)
        let before = pursue(wanted[..<anchor].reversed(), first, capture, &effort)
        let after = pursue(wanted[(anchor + 1)...], first, capture, &effort)
        return Attempt(
            matches: before.matches.reversed() + [first] + after.matches,
            missing: before.missing + after.missing)
    }

    private static func pursue(
        _ wanted: some Collection<Level>, _ first: Match, _ capture: [Level], _ effort: inout Int
    ) -> Attempt {
        var (attempt, last, rate) = (Attempt(), first, 1.0)
        let span = capture.first!.time...capture.last!.time
        for (count, level) in wanted.enumerated() {
            effort += 1
            if count == trial, attempt.matches.count * 2 < trial { break }
            let distance = level.time - last.wanted
            let time = last.found + distance * rate
            let tolerance = deviationMax / 2 + abs(distance) * driftMax
            guard span.contains(time) else { break }
            guard let index = nearest(level.value, time, tolerance, capture) else {
                attempt.missing += 1
                continue
            }
            last = (level.time, capture[index].time)
            attempt.matches.append(last)
            if abs(last.wanted - first.wanted) > baseline {
                rate = (last.found - first.found) / (last.wanted - first.wanted)
                rate = min(max(rate, 1 - driftMax), 1 + driftMax)
            }
        }
        return attempt
    }

    /// Returns the index of the level with the given value that is nearest to a time; nil if no
    /// such level is within the tolerance.
    private static func nearest(
        _ value: Int, _ time: Double, _ tolerance: Double, _ capture: [Level]
    ) -> Int? {
        var (low, high) = (0, capture.count)
        while low < high {
            let middle = (low + high) / 2
            if capture[middle].time >= time - tolerance { high = middle } else { low = middle + 1 }
        }
        var best: Int?
        while low < capture.count, capture[low].time <= time + tolerance {
            let isNearer =
                best.map { abs(capture[low].time - time) < abs(capture[$0].time - time) } ?? true
            if capture[low].value == value, isNearer { best = low }
            low += 1
        }
        return best
    }
}
