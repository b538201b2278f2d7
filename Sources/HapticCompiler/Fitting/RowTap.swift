// RowTap: a tap in a row of taps that share one gain curve.

import HapticPatterns

/// A tap in wire values that is part of a row.
struct RowTap: Sendable {
    var tick: Ticks
    /// The intended intensity with all controls applied, not rounded.
    var exact: Double
    /// The intensity of the event before any control is applied.
    var base: UInt8
    /// The sharpness, not rounded.
    var sharpness: Double
    private var voice: Int

    init(_ tap: VoiceTap) {
        tick = StreamTime.nearestTick(to: tap.time)
        exact = tap.intensity.onWireScale
        base = tap.base.onWireScale.nearestWireValue
        sharpness = tap.sharpness.onWireScale
        voice = tap.voice
    }

    /// True if a control changes the intensity of the tap.
    var isScaled: Bool { exact.nearestWireValue != base }

    /// Returns whether the tap can follow another tap in the same row. Both taps must belong to the
    /// same voice, and must be at most ``longestGap`` apart.
    func mayFollow(_ other: RowTap) -> Bool {
        voice == other.voice && tick - other.tick <= Self.longestGap
    }

    /// The tap with its intended intensity, to be played with a tap gain of 255.
    var plain: TapEvent {
        event(ToleratedValue(exact.nearestWireValue, HoldTolerance.level.range(for: exact)))
    }

    /// The tap with the intensity of its event, to be scaled by the tap gain.
    var underGain: TapEvent { event(ToleratedValue(base)) }

    private func event(_ intensity: ToleratedValue) -> TapEvent {
        // The writer may choose a slightly different sharpness, with which the tap ends a few
        // microseconds earlier or later. If the tap then ends just before the next event, that
        // event is delayed until the bus transfer is complete.
        let value = ToleratedValue(
            sharpness.nearestWireValue, HoldTolerance.sharpness.range(for: sharpness))
        return TapEvent(
            tick: tick, content: .tap(intensity: intensity.preferred, sharpness: value.preferred),
            wanted: .tap(intensity: intensity, sharpness: value))
    }

    /// The maximum distance between two successive taps of a row, in ticks: one second.
    static let longestGap = StreamTime.nearestTick(to: 1_000_000)
}
