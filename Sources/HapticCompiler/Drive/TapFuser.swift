// TapFuser: replaces taps that an actuator cannot separate with the most similar output that it can
// play.

import HapticPatterns

/// Joins taps that follow each other so closely that the actuator cannot fall and rise again
/// between them.
///
/// Only the strongest of several simultaneous taps remains. On a motor, a series of close taps
/// becomes a texture: the motor keeps turning, and changes from the intensity of one tap to the
/// intensity of the next tap.
struct TapFuser: Sendable {
    /// The taps of a time interval after they have been joined.
    struct Result {
        /// The separate taps that remain.
        var taps: [VoiceTap] = []
        /// The taps that were merged into a stronger tap at the same time.
        var joined: [VoiceTap] = []
        /// The taps that became part of a texture.
        var texture: [TextureTap] = []
    }

    /// The taps for which no decision has been made yet, in order of time.
    private var taps: ArraySlice<VoiceTap> = []
    /// True if the first tap continues a texture.
    private var isTexture = false

    private let plant: Plant
    /// The interval above which two taps are always separate, in microseconds. If the motor kept
    /// turning for a longer time between two taps, it would be felt as a continuous level.
    private static let longestGap: Microseconds = 68_000
    /// The minimum time that must remain between the fall after a tap and the rise to the next tap
    /// for the two taps to be separate, in microseconds.
    private static let rest = 4_000.0
    /// The time by which a texture extends beyond its last tap, in microseconds.
    private static let tail: Microseconds = 17_000
    /// The time after a tap for which all following taps must be known, in microseconds.
    static let lookahead = longestGap

    /// Creates a fuser. On an LRA, only simultaneous taps are joined.
    ///
    /// - Parameter texture: the last tap of a texture that began before time 0 and may continue;
    ///   nil if there is no such texture.
    init(_ plant: Plant, continuing texture: VoiceTap? = nil) {
        self.plant = plant
        if let texture { (taps, isTexture) = ([texture], true) }
    }

    /// Adds taps in order of time.
    mutating func append(_ more: [VoiceTap]) { taps += more }

    /// Removes the taps before the given time, joins them, and returns the result. All taps up to
    /// ``lookahead`` after that time must have been added.
    mutating func joinTaps(before settled: Microseconds) -> Result {
        var result = Result()
        while let first = taps.first, first.time < settled {
            let tap = removeChord(&result)
            let isFirst = !isTexture
            isTexture = taps.first.map { isJoined(tap, $0) } ?? false
            if isFirst, !isTexture {
                result.taps.append(tap)
            } else {
                result.texture.append(part(tap, isFirst: isFirst))
            }
        }
        return result
    }

    /// Returns whether the actuator is a motor that cannot separate a tap from the previous tap.
    private func isJoined(_ one: VoiceTap, _ other: VoiceTap) -> Bool {
        guard plant.kind == .erm, other.time - one.time < Self.longestGap else { return false }
        let fall = plant.fall(from: plant.state(for: one.intensity))
        let rise = plant.rise(from: 0, to: plant.state(for: other.intensity))
        return Double(other.time - one.time) < fall + Self.rest + rise
    }

    /// Returns a tap as a part of a texture that continues with the remaining taps.
    private func part(_ tap: VoiceTap, isFirst: Bool) -> TextureTap {
        guard isTexture, let time = taps.first?.time else {
            return TextureTap(
                tap: tap, isFirst: isFirst, isLast: true, end: tap.time + Self.tail,
                next: tap.intensity)
        }
        let chord = taps.prefix { $0.time == time }
        return TextureTap(
            tap: tap, isFirst: isFirst, isLast: false, end: time,
            next: chord.lazy.map { $0.intensity }.max()!)
    }

    /// Removes the first tap together with all taps at the same time. Returns the strongest of
    /// these taps.
    private mutating func removeChord(_ result: inout Result) -> VoiceTap {
        var strongest = taps.removeFirst()
        while let next = taps.first, next.time == strongest.time {
            if next.intensity > strongest.intensity { swap(&strongest, &taps[taps.startIndex]) }
            result.joined.append(taps.removeFirst())
        }
        return strongest
    }
}
