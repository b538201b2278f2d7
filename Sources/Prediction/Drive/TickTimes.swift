// TickTimes: the times of a stream's ticks on the clock of the board (SPEC 5).

import VirtualBoard

/// The times of the ticks of a stream: linear, until a SCALE changes the length of a tick.
package struct TickTimes {
    /// The ticks from number `tick` on. Tick number `tick` is due at `time`; `length` is the length
    /// of a tick in microseconds.
    private struct Line {
        var tick: Int
        var time: Double
        var length: Double
    }

    private var lines: [Line]

    /// Creates the times of ticks with a constant length.
    ///
    /// - Parameters:
    ///   - origin: the board time of tick 0.
    ///   - length: the length of a tick in microseconds.
    package init(origin: BoardTime, length: Double) {
        lines = [Line(tick: 0, time: Double(origin), length: length)]
    }

    /// Changes the length of the ticks from a given tick on. If the length was changed several
    /// times at earlier ticks, the last change applies.
    package mutating func change(to length: Double, from tick: Int) {
        while lines.count > 1, lines.last!.tick >= tick { lines.removeLast() }
        let last = lines.last!
        guard tick > last.tick else {
            lines[0].length = length
            return
        }
        let time = last.time + Double(tick - last.tick) * last.length
        lines.append(Line(tick: tick, time: time, length: length))
    }

    private func line(at tick: Int) -> Line { lines.last { $0.tick <= tick } ?? lines[0] }

    /// Returns the time of a tick.
    func time(of tick: Int) -> BoardTime {
        let line = line(at: tick)
        return BoardTime((line.time + Double(tick - line.tick) * line.length).rounded(.down))
    }

    /// Returns the end of a ramp that begins at a tick. The tick length at the start of the ramp
    /// applies to the whole ramp.
    func end(of duration: Int, from tick: Int) -> BoardTime {
        time(of: tick) + BoardTime((Double(duration) * line(at: tick).length).rounded(.down))
    }
}
