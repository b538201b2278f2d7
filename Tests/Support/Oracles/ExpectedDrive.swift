// The drive that a stream requires of the chip. It is computed only from the stream's events and
// SPEC 6 and 8, independently of the firmware whose bus traffic is compared with it.

import HapticCompiler
import VirtualBoard

/// The level that a chip must have at any time, and the times at which it must change.
public struct ExpectedDrive {
    /// A write that must occur on the bus within a given time.
    public struct Obligation: Sendable {
        public enum Kind: Sendable { case tap, tapEnd, level, rampEnd }
        public var time: BoardTime
        public var level: Int
        public var kind: Kind
    }

    /// A time interval in which the level is constant or linear.
    struct Piece {
        var start: BoardTime
        var end: BoardTime
        var from: Double
        var to: Double

        func value(at time: BoardTime) -> Double {
            guard end > start, time < end else { return to }
            return from + (to - from) * Double(time - start) / Double(end - start)
        }
    }

    public private(set) var obligations: [Obligation] = []
    /// The levels in order of time, without gaps.
    private(set) var pieces: [Piece] = []
    /// The onsets of events (taps and level jumps), in board time.
    public private(set) var taps: [(time: BoardTime, level: Int)] = []

    private var ramp = Piece(start: 0, end: 0, from: 0, to: 0)
    private var gain = Piece(start: 0, end: 0, from: 255, to: 255)
    private var tap: (end: BoardTime, level: Int)?
    private var shownFrom: BoardTime = 0
    private let origin: BoardTime
    private let tick: BoardTime
    private let tapLength: (UInt8) -> BoardTime

    /// - Parameters:
    ///   - origin: the board time of tick 0.
    ///   - tick: the length of a tick in microseconds.
    ///   - tapLength: returns the length of a tap of a given sharpness, in microseconds.
    public init(
        _ events: [StreamEvent], origin: BoardTime, tick: BoardTime,
        tapLength: @escaping (UInt8) -> BoardTime
    ) {
        self.origin = origin
        self.tick = tick
        self.tapLength = tapLength
        shownFrom = origin
        for event in events {
            let time = origin + BoardTime(event.tick) * tick
            passTapEnd(before: time)
            apply(event.content, at: time)
        }
        if let tap { endTap(tap.end) }
        close(at: .max)
    }

    /// Returns the value rounded half up, as SPEC 6 requires for ramps.
    private func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

    /// Ends a tap that ends before `time`, so that the ramp continues. At exactly `time`, an event
    /// takes precedence.
    private mutating func passTapEnd(before time: BoardTime) {
        if let tap, tap.end < time { endTap(tap.end) }
    }

    private mutating func endTap(_ time: BoardTime) {
        close(at: time)
        tap = nil
        owe(time, rounded(ramp.value(at: time)), .tapEnd)
        oweRampEnd()
    }

    private mutating func owe(_ time: BoardTime, _ level: Int, _ kind: Obligation.Kind) {
        obligations.append(Obligation(time: time, level: level, kind: kind))
    }

    private mutating func oweRampEnd() {
        if ramp.end > shownFrom { owe(ramp.end, Int(ramp.to), .rampEnd) }
    }

    /// Ends the current piece, and removes the obligations that are due after its end.
    private mutating func close(at time: BoardTime) {
        obligations.removeAll { $0.kind == .rampEnd && $0.time >= time && time != .max }
        if let tap {
            pieces.append(
                Piece(start: shownFrom, end: time, from: Double(tap.level), to: Double(tap.level)))
        } else if ramp.start < ramp.end, shownFrom < ramp.end {
            let end = min(time, ramp.end)
            pieces.append(
                Piece(
                    start: shownFrom, end: end, from: ramp.value(at: shownFrom),
                    to: ramp.value(at: end)))
            if time > end {
                pieces.append(Piece(start: end, end: time, from: ramp.to, to: ramp.to))
            }
        } else {
            pieces.append(Piece(start: shownFrom, end: time, from: ramp.to, to: ramp.to))
        }
        shownFrom = time
    }

    private mutating func apply(_ content: StreamEvent.Content, at time: BoardTime) {
        switch content {
        case .tap(let intensity, let sharpness):
            let level = (Int(intensity) * rounded(gain.value(at: time)) + 127) / 255
            close(at: time)
            tap = (time + tapLength(sharpness), level)
            taps.append((time, level))
            owe(time, level, .tap)
        case .level(let level), .levelSharpness(let level, _):
            move(to: level, at: time, in: 0)
        case .levelRamp(let level, let duration):
            move(to: level, at: time, in: BoardTime(duration) * tick)
        case .tapGain(let value, let duration):
            gain = Piece(
                start: time, end: time + BoardTime(duration) * tick,
                from: Double(rounded(gain.value(at: time))), to: Double(value))
        case .end:
            move(to: 0, at: time, in: 0)
        case .sharpnessRamp:
            break
        }
    }

    private mutating func move(to level: UInt8, at time: BoardTime, in duration: BoardTime) {
        let before = rounded(ramp.value(at: time))
        if tap == nil { close(at: time) }
        ramp = Piece(start: time, end: time + duration, from: Double(before), to: Double(level))
        guard tap == nil else { return }
        if duration > 0 {
            oweRampEnd()
        } else {
            owe(time, Int(level), .level)
        }
    }
}

extension ExpectedDrive {
    /// Returns whether the stream requires `level` at any time within `slack` before `time`.
    func explains(_ level: Int, at time: BoardTime, slack: BoardTime, from index: inout Int) -> Bool
    {
        while index + 1 < pieces.count, pieces[index].end < time - slack { index += 1 }
        var piece = index
        while piece < pieces.count, pieces[piece].start <= time {
            let first = pieces[piece].value(at: max(time - slack, pieces[piece].start))
            let last = pieces[piece].value(at: min(time, pieces[piece].end))
            let range = min(first, last) - 0.501...max(first, last) + 0.501
            if range.contains(Double(level)) { return true }
            piece += 1
        }
        return false
    }
}
