// ExpectedDrive: the drive that a stream requires of the chip. The drive is computed only from the
// stream's events and SPEC 6 and 8, independently of the firmware, whose bus traffic is compared
// with this drive.

import HapticCompiler
import VirtualBoard

/// The level that a chip must have at any time, and the times at which the level must change.
package struct ExpectedDrive {
    /// A write that must occur on the bus within a given time.
    package struct Obligation: Sendable {
        package enum Kind: Sendable { case tap, tapEnd, level, rampEnd }

        package var time: BoardTime
        package var level: Int
        package var kind: Kind
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

    package private(set) var obligations: [Obligation] = []
    /// The levels in order of time, without gaps.
    private(set) var pieces: [Piece] = []
    /// The onsets of events (taps and level jumps), in board time.
    package private(set) var taps: [(time: BoardTime, level: Int)] = []

    private var ramp = Piece(start: 0, end: 0, from: 0, to: 0)
    private var gain = Piece(start: 0, end: 0, from: 255, to: 255)
    private var tap: (end: BoardTime, level: Int)?
    private var shownFrom: BoardTime = 0
    private let ticks: TickTimes
    private let tapLength: (UInt8) -> BoardTime

    /// Computes the drive that a stream with a constant tick length requires.
    ///
    /// - Parameters:
    ///   - origin: the board time of tick 0.
    ///   - tick: the length of a tick in microseconds.
    ///   - tapLength: a closure that returns the length of a tap of a given sharpness, in
    ///     microseconds.
    package init(
        _ events: [StreamEvent], origin: BoardTime, tick: BoardTime,
        tapLength: @escaping (UInt8) -> BoardTime
    ) {
        self.init(
            events, TickTimes(origin: origin, length: Double(tick)), tapLength: tapLength)
    }

    /// Computes the drive that a stream requires.
    ///
    /// - Parameters:
    ///   - ticks: the board times of the ticks.
    ///   - tapLength: a closure that returns the length of a tap of a given sharpness, in
    ///     microseconds.
    package init(
        _ events: [StreamEvent], _ ticks: TickTimes, tapLength: @escaping (UInt8) -> BoardTime
    ) {
        self.ticks = ticks
        self.tapLength = tapLength
        shownFrom = ticks.time(of: 0)
        for event in events {
            passTapEnd(before: ticks.time(of: event.tick))
            apply(event.content, at: event.tick)
        }
        if let tap { endTap(tap.end) }
        close(at: .max)
    }

    /// Returns the value rounded half up, as SPEC 6 requires for ramps.
    private func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

    /// Ends a tap that ends before `time`, so that the ramp continues. An event at exactly `time`
    /// takes precedence over the end of the tap.
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

    private mutating func apply(_ content: StreamEvent.Content, at tick: Int) {
        let time = ticks.time(of: tick)
        switch content {
        case .tap(let intensity, let sharpness):
            let level = (Int(intensity) * rounded(gain.value(at: time)) + 127) / 255
            close(at: time)
            tap = (time + tapLength(sharpness), level)
            taps.append((time, level))
            owe(time, level, .tap)
        case .level(let level), .levelSharpness(let level, _):
            move(to: level, at: time, until: time)
        case .levelRamp(let level, let duration):
            move(to: level, at: time, until: ticks.end(of: duration, from: tick))
        case .tapGain(let value, let duration):
            gain = Piece(
                start: time, end: ticks.end(of: duration, from: tick),
                from: Double(rounded(gain.value(at: time))), to: Double(value))
        case .end:
            move(to: 0, at: time, until: time)
        case .sharpnessRamp:
            break
        }
    }

    private mutating func move(to level: UInt8, at time: BoardTime, until end: BoardTime) {
        let before = rounded(ramp.value(at: time))
        if tap == nil { close(at: time) }
        ramp = Piece(start: time, end: end, from: Double(before), to: Double(level))
        guard tap == nil else { return }
        if end > time {
            oweRampEnd()
        } else {
            owe(time, Int(level), .level)
        }
    }
}

extension ExpectedDrive {
    /// Returns the ranges of the levels that the stream requires between two times. `index` is the
    /// index of the first piece that has not ended by the first time; it only increases from call
    /// to call.
    func levels(from first: BoardTime, to last: BoardTime, _ index: inout Int) -> [ClosedRange<Int>]
    {
        while index + 1 < pieces.count, pieces[index].end < first { index += 1 }
        return pieces[index...].prefix { $0.start <= last }.map { piece in
            let values = [
                piece.value(at: max(first, piece.start)), piece.value(at: min(last, piece.end)),
            ]
            let least = Int((values.min()! - 0.501).rounded(.up))
            return least...max(least, Int((values.max()! + 0.501).rounded(.down)))
        }
    }
}
