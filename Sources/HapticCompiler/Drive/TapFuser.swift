// TapFuser: taps that a motor cannot part become the nearest thing that it can play.

import HapticPatterns

/// Joins the taps of a motor that follow each other more closely than it rises and falls.
///
/// Taps at one time become the strongest of them. A row becomes a texture, in which the motor keeps
/// turning from the intensity of one tap to that of the next.
struct TapFuser: Sendable {
    /// The taps of a time, after those that cannot be parted have been joined.
    struct Result {
        /// The taps that remain.
        var taps: [VoiceTap] = []
        /// The taps that became part of another one.
        var joined: [VoiceTap] = []
        /// The taps that became part of a texture.
        var texture: [TextureTap] = []
    }

    /// The taps in order of time that were not decided yet.
    private var taps: ArraySlice<VoiceTap> = []
    /// True if the first tap continues a texture.
    private var isTexture = false

    private let plant: Plant
    /// The distance from which taps are parted whatever the motor does, in microseconds: where it
    /// held the intensity for longer, a level would be felt.
    private static let longestGap: Microseconds = 68_000
    /// The time that is left between the fall from one tap and the rise to the next, in
    /// microseconds.
    private static let rest = 4_000.0
    /// The time for which a texture lasts beyond its last tap, in microseconds.
    private static let tail: Microseconds = 17_000
    /// The time after a tap until which the following taps must be known, in microseconds.
    static let lookahead = longestGap

    /// Makes a fuser. An LRA can part all taps that are not at the same time.
    ///
    /// - Parameter texture: the last tap of a texture before time 0, which may continue.
    init(_ plant: Plant, continuing texture: VoiceTap? = nil) {
        self.plant = plant
        if let texture { (taps, isTexture) = ([texture], true) }
    }

    /// Adds taps in order of time.
    mutating func append(_ more: [VoiceTap]) { taps += more }

    /// Returns what the taps before a time become. All taps up to ``lookahead`` after it must have
    /// been added.
    mutating func take(before settled: Microseconds) -> Result {
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

    /// Returns whether a motor cannot part a tap from the one before it.
    private func isJoined(_ one: VoiceTap, _ other: VoiceTap) -> Bool {
        guard plant.kind == .erm, other.time - one.time < Self.longestGap else { return false }
        let fall = plant.fall(from: plant.state(for: one.intensity))
        let rise = plant.rise(from: 0, to: plant.state(for: other.intensity))
        return Double(other.time - one.time) < fall + Self.rest + rise
    }

    /// Returns a tap as a part of the texture, which goes on with the taps that are left.
    private func part(_ tap: VoiceTap, isFirst: Bool) -> TextureTap {
        guard isTexture, let time = taps.first?.time else {
            return TextureTap(
                tap: tap, isFirst: isFirst, isLast: true, end: tap.time + Self.tail,
                next: tap.intensity)
        }
        let chord = taps.prefix { $0.time == time }
        return TextureTap(
            tap: tap, isFirst: isFirst, isLast: false, end: time,
            next: chord.lazy.map(\.intensity).max()!)
    }

    /// Removes the taps that come at the time of the first one, and returns the strongest.
    private mutating func removeChord(_ result: inout Result) -> VoiceTap {
        var strongest = taps.removeFirst()
        while let next = taps.first, next.time == strongest.time {
            if next.intensity > strongest.intensity { swap(&strongest, &taps[taps.startIndex]) }
            result.joined.append(taps.removeFirst())
        }
        return strongest
    }
}
