// TapTrack: converts taps to tap events, either individually or as a row with a gain curve.

import HapticPatterns

/// The taps of the stream, converted to ticks and wire values.
///
/// An intensity curve over many taps is written as ramps of the tap gain if this takes fewer bytes.
/// The taps then keep their original intensities, which are often equal and can therefore be
/// encoded in few bytes. This decision applies to a whole row of taps, so the row is held back
/// until it is complete.
struct TapTrack: Sendable {
    /// The events that have been found, in order of time. The caller is responsible for removing
    /// these events.
    var events: [TapEvent] = []

    private var row: [RowTap] = []
    private var gain = TapGain.full
    private var rendered: Ticks = 0

    /// True if rows are held back until they are complete.
    private let holdsRows: Bool

    init(holdsRows: Bool = true) {
        self.holdsRows = holdsRows
    }

    /// The tick before which the track is final.
    var horizon: Ticks { row.first?.tick ?? rendered }

    /// Adds a tap, which must not be earlier than the previous tap.
    mutating func append(_ tap: VoiceTap) {
        let next = RowTap(tap)
        guard next.exact >= 0.5 else { return }  // Reported as silent-tap.
        if let last = row.last, !next.mayFollow(last) || row.count == Self.longestRow { close() }
        row.append(next)
    }

    /// Records that no tap before the given time will be added.
    mutating func advance(to time: Microseconds) {
        rendered = StreamTime.nearestTick(to: time)
        if !holdsRows { return close() }
        if let last = row.last, rendered - last.tick > RowTap.longestGap { close() }
    }

    /// Ends the row of taps and decides how the row is written.
    mutating func close() {
        defer { row.removeAll(keepingCapacity: true) }
        var plain: [TapEvent] =
            gain == TapGain.full || row.isEmpty
            ? [] : [TapEvent(TapGain.jump(to: TapGain.full, at: row[0].tick))]
        plain += row.map { $0.plain }
        guard row.count >= Self.shortestRow, row.contains(where: { $0.isScaled }),
            let curve = TapGain.curve(through: row, from: gain)
        else { return write(plain, endingAt: TapGain.full) }
        let underCurve = merged(curve)
        // The cost includes a jump in the gain, because the next row may need to reset the gain.
        let cost = EventStreamEncoder.encode(underCurve.map { $0.event }).count + TapGain.jumpCost
        if cost < EventStreamEncoder.encode(plain.map({ $0.event })).count {
            write(underCurve, endingAt: curve.last?.value ?? gain)
        } else {
            write(plain, endingAt: TapGain.full)
        }
    }

    private mutating func write(_ more: [TapEvent], endingAt gain: UInt8) {
        guard !more.isEmpty else { return }
        events += more
        self.gain = gain
    }

    /// Returns the taps of the row with their original intensities, merged with the gain changes.
    /// At the same tick, gain changes precede taps.
    private func merged(_ curve: [CurveEvent]) -> [TapEvent] {
        var events: [TapEvent] = []
        var next = curve.startIndex
        for tap in row {
            while next < curve.endIndex, curve[next].tick <= tap.tick {
                events.append(TapEvent(TapGain.event(curve[next])))
                next += 1
            }
            events.append(tap.underGain)
        }
        return events
    }

    private static let shortestRow = 4
    private static let longestRow = 4_096
}
