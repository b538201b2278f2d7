// CurveTrack: converts the lines of a curve, whose times are in microseconds, to points at ticks
// for the fitter.

import HapticPatterns

/// The level or the sharpness of the stream over time, converted from lines to ramps.
///
/// Lines are joined across windows. Lines are evaluated exactly at the ticks that are nearest to
/// their ends. Only jumps are moved, to the nearest tick. If a line is shorter than a tick and
/// changes the value noticeably, it counts as a jump.
struct CurveTrack: Sendable {
    /// The fitter that produces the ramps and jumps.
    var fitter: CurveFitter

    /// The line that has not ended yet. Its result depends on the time at which it ends.
    private var open: LineSpan?
    /// The discontinuity that has not been moved to a tick yet.
    private var edge: Edge?
    private var before: Line?
    /// The tick up to which the curve is settled.
    private var settled: Ticks = 0

    /// Creates a track for the level, whose initial value is known to be 0.
    ///
    /// - Parameters:
    ///   - isLive: if true, ramps end after a limited length. If false, ramps are as long as
    ///     possible.
    ///   - isExact: if true, held values are exact. If false, each held value is chosen from a
    ///     range around the exact value.
    static func level(isLive: Bool, isExact: Bool) -> CurveTrack {
        let fitter = CurveFitter(
            tolerance: 0.9, slack: 0.5, initialValue: 0, choice: isExact ? nil : .level,
            settling: isLive ? settling : .max)
        return CurveTrack(fitter: fitter, before: .silence)
    }

    /// Creates a track for the sharpness, whose initial value is unknown. The tolerance of this
    /// track is larger than the tolerance of the level, because sharpness is perceived less
    /// precisely.
    ///
    /// - Parameter isLive: if true, ramps end after a limited length, and held values are exact. If
    ///   false, ramps are as long as possible, and each held value is chosen from a range around
    ///   the exact value.
    static func sharpness(isLive: Bool) -> CurveTrack {
        let fitter = CurveFitter(
            tolerance: 2.5, slack: 1.5, initialValue: nil, choice: isLive ? nil : .sharpness,
            settling: isLive ? settling : .max)
        return CurveTrack(fitter: fitter, before: nil)
    }

    /// The length, in ticks, after which a live ramp ends at the next point: 100 ms.
    private static let settling: Ticks = 400

    private init(fitter: CurveFitter, before: Line?) {
        self.fitter = fitter
        self.before = before
    }

    /// The tick before which the track is final.
    var horizon: Ticks {
        min(courseHorizon, fitter.openJump ?? .max)
    }

    private var courseHorizon: Ticks {
        if let open, open.isEntered { return open.lastTick }
        return min(fitter.anchor?.tick ?? settled, settled)
    }

    /// Continues the curve along a line. If the line is nil, the value is unspecified.
    mutating func append(_ line: Line?, from start: Microseconds, to end: Microseconds) {
        if let present = open, present.continues(along: line) {
            open!.end = end
        } else {
            close(before: line)
            open = LineSpan(start: start, end: end, line: line)
        }
        // A hold can be processed before its end is known, because its points do not depend on its
        // length.
        if open!.isHold { enterOpen() }
    }

    /// Settles the curve up to the end of the last line.
    ///
    /// - Parameter next: the next line; nil if no line follows or if the next value is unspecified.
    mutating func close(before next: Line? = nil) {
        guard var span = open else { return }
        span.meetsNext = next.map { span.meets($0) } ?? false
        if let line = span.line, span.isStep {
            let (start, end) = (span.start, span.end)
            let middle = (start + end) / 2
            settle(LineSpan(start: start, end: middle, line: .constant(line.value(at: start))))
            settle(LineSpan(start: middle, end: end, line: .constant(line.value(at: end))))
        } else {
            settle(span)
        }
        open = nil
    }

    private mutating func settle(_ span: LineSpan) {
        var span = span
        enter(&span)
        if let line = span.line, span.lastTick > span.firstTick {
            point(span.lastTick, line, isHold: span.isHold)
        } else if span.line == nil, span.hasTick {
            fitter.release(at: span.lastTick)
        }
        if span.hasTick { settled = span.lastTick }
        before = span.line
    }

    private mutating func enterOpen() {
        guard var span = open else { return }
        enter(&span)
        open = span
    }
}

/// Handling edges.
extension CurveTrack {
    /// A discontinuity of the curve that has occurred since the last tick. Several discontinuities
    /// within one tick are combined.
    private struct Edge {
        var time: Microseconds
        var weight: Double
        var from: Line?
        var to: Line?
    }

    /// Starts following a line: records the edge before the line, and moves that edge to a tick as
    /// soon as the first tick of the line is known.
    private mutating func enter(_ span: inout LineSpan) {
        guard !span.isEntered else { return }
        if !span.isRecorded { recordEdge(at: span.start, from: before, to: span.line) }
        span.isRecorded = true
        guard span.hasTick else { return }
        span.isEntered = true
        let first = span.firstTick
        settled = max(settled, first)
        if let edge { resolve(edge, at: first) }
        self.edge = nil
        guard let line = span.line else { return fitter.release(at: first) }
        point(first, line, isHold: span.isHold)
    }

    private mutating func recordEdge(at time: Microseconds, from: Line?, to: Line?) {
        let weight: Double
        switch (from, to) {
        case (nil, nil): return
        case (let from?, let to?):
            weight = abs(to.wireValue(at: time) - from.wireValue(at: time))
            if weight <= LineSpan.invisible { return }
        default: weight = .infinity
        }
        guard let known = edge else {
            edge = Edge(time: time, weight: weight, from: from, to: to)
            return
        }
        edge!.to = to
        if weight > known.weight { (edge!.time, edge!.weight) = (time, weight) }
    }

    /// Moves an edge to the nearest tick: either the first tick after the edge or the last tick
    /// before the edge.
    private mutating func resolve(_ edge: Edge, at first: Ticks) {
        let nearest = min(max(StreamTime.nearestTick(to: edge.time), first - 1), first)
        let tick = max(nearest, 0)
        let time = StreamTime.time(of: tick)
        if let from = edge.from, tick == first { fitter.extend(tick, from.wireValue(at: time)) }
        guard let to = edge.to else { return }
        let value = tick == first ? to.wireValue(at: time) : to.wireValue(at: edge.time)
        fitter.jump(tick, to: value)
    }

    private mutating func point(_ tick: Ticks, _ line: Line, isHold: Bool) {
        let value = line.wireValue(at: StreamTime.time(of: tick))
        if isHold { fitter.knot(tick, value) } else { fitter.pass(tick, value) }
    }
}

/// An interval in which the curve follows one line.
private struct LineSpan: Sendable {
    let start: Microseconds
    var end: Microseconds
    /// The line; nil if the value is unspecified.
    let line: Line?
    var isRecorded = false
    var isEntered = false
    /// True if the next line starts at the value that this line has at ``end``. The point at
    /// ``end`` then belongs to both lines.
    var meetsNext = false

    init(start: Microseconds, end: Microseconds, line: Line?) {
        self.start = start
        self.end = end
        self.line = line
    }

    var firstTick: Ticks { StreamTime.firstTick(from: start) }
    var lastTick: Ticks { StreamTime.firstTick(from: meetsNext ? end + 1 : end) - 1 }
    var hasTick: Bool { firstTick <= lastTick }

    /// True if the value must be exact. Silence, and other constant values that last long enough,
    /// must be exact.
    var isHold: Bool {
        guard let line else { return true }
        guard line.isConstant else { return false }
        return line.startValue == 0 || end - start >= Self.shortestHold
    }

    /// True if the line is shorter than a tick, but so steep that it counts as a jump. A short part
    /// of a longer line never counts as a jump.
    var isStep: Bool {
        guard let line, line.end - line.start < StreamTime.tick, end - start < StreamTime.tick
        else { return false }
        return abs(line.wireValue(at: end) - line.wireValue(at: start)) > 1
    }

    func continues(along other: Line?) -> Bool {
        guard let line, let other else { return line == nil && other == nil }
        if line == other { return true }
        return line.isConstant && other.isConstant && line.startValue == other.startValue
    }

    func meets(_ next: Line) -> Bool {
        guard let line else { return false }
        return abs(line.wireValue(at: end) - next.wireValue(at: end)) <= Self.invisible
    }

    /// The maximum change that does not count as a jump, in wire units.
    static let invisible = 0.5
    private static let shortestHold: Microseconds = 10_000
}

extension Line {
    /// Returns the value at the given time on the wire scale, limited to the range of that scale.
    fileprivate func wireValue(at time: Microseconds) -> Double {
        min(max(value(at: time), 0), 1).onWireScale
    }
}
