// MIDIClock: converts the ticks of a MIDI file to microseconds.

import HapticPatterns

/// The times of ticks, computed from the tempo changes of all tracks.
struct MIDIClock {
    /// A tempo change in the file: its tick, and the duration of a quarter note in microseconds.
    typealias Tempo = (tick: Int64, quarter: Double)

    /// The ticks at which the duration of a tick changes, in ascending order, with their times.
    private var sections: [(tick: Int64, time: Double, tickLength: Double)]

    /// Creates the clock of a file that specifies ticks per second.
    init(tickLength: Double) { sections = [(0, 0, tickLength)] }

    /// Creates the clock of a file that specifies ticks per quarter note. Until the first tempo
    /// change, there are 120 quarter notes per minute.
    init(ticksPerQuarter: Double, tempos: [Tempo]) {
        self.init(tickLength: 500_000 / ticksPerQuarter)
        for tempo in tempos.sorted(by: { $0.tick < $1.tick }) {
            let time = exactTime(at: tempo.tick)
            sections.append((tempo.tick, time, tempo.quarter / ticksPerQuarter))
        }
    }

    /// Returns the time of a tick; nil if the time exceeds the limit of a day.
    func time(at tick: Int64) -> Microseconds? {
        let time = exactTime(at: tick).rounded()
        return time <= Double(FormatLimits.latest) ? Microseconds(time) : nil
    }

    private func exactTime(at tick: Int64) -> Double {
        // A binary search for the last section that begins at or before the tick.
        var (section, end) = (0, sections.count)
        while end - section > 1 {
            let middle = (section + end) / 2
            if sections[middle].tick <= tick { section = middle } else { end = middle }
        }
        let start = sections[section]
        return start.time + Double(tick - start.tick) * start.tickLength
    }
}
