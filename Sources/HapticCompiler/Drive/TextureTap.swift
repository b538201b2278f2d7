// TextureTap: a tap that a motor cannot separate from its neighbors.

import HapticPatterns

/// A tap in a texture, in which a motor does not come to rest between the taps.
struct TextureTap: Sendable {
    /// The strongest of the simultaneous taps.
    let tap: VoiceTap
    /// True if the texture begins with the tap.
    let isFirst: Bool
    /// True if the texture ends with the tap.
    let isLast: Bool
    /// The time of the next tap, or the end of the texture, in microseconds.
    let end: Microseconds
    /// The intensity of the next tap or, for the last tap of the texture, of this tap, 0...1.
    let next: Double
}
