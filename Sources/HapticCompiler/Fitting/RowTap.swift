// RowTap: a tap of a row.

import HapticPatterns

/// A tap in wire values, as part of a row.
struct RowTap: Sendable {
    var tick: Ticks
    /// The intensity that should be felt, not rounded.
    var exact: Double
    /// The event's own intensity, before any control.
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

    /// True if a control changes the tap's intensity from the event's own.
    var isScaled: Bool { exact.nearestWireValue != base }

    /// Returns whether both taps can be in the same row under one gain, because they have the same
    /// voice and are at most ``longestGap`` apart.
    func mayFollow(_ other: RowTap) -> Bool {
        voice == other.voice && tick - other.tick <= Self.longestGap
    }

    /// The tap with the intensity that should be felt.
    var plain: TapEvent {
        event(ToleratedValue(exact.nearestWireValue, HoldTolerance.level.range(for: exact)))
    }

    /// The tap with its own intensity, which a gain scales.
    var underGain: TapEvent { event(ToleratedValue(base)) }

    private func event(_ intensity: ToleratedValue) -> TapEvent {
        // A different sharpness ends the tap some microseconds earlier or later. If that end falls
        // just before the next event, the next event waits until the bus has transferred it.
        let value = ToleratedValue(
            sharpness.nearestWireValue, HoldTolerance.sharpness.range(for: sharpness))
        return TapEvent(
            tick: tick, content: .tap(intensity: intensity.preferred, sharpness: value.preferred),
            wanted: .tap(intensity: intensity, sharpness: value))
    }

    /// The maximum distance between two successive taps of a row, in ticks: one second.
    static let longestGap = StreamTime.nearestTick(to: 1_000_000)
}
