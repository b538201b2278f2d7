// TapFuser: taps that a motor cannot part become the nearest thing that it can play.

import HapticPatterns

/// Joins the taps of a motor that follow each other more closely than it rises and falls.
///
/// A few of them at once become the strongest one. A longer row, a texture, becomes a level that
/// moves straight from the intensity of one tap to that of the next.
struct TapFuser: Sendable {
    /// The taps of a time, after those that cannot be parted have been joined.
    struct Result {
        /// The taps that remain.
        var taps: [VoiceTap] = []
        /// The levels of textures.
        var levels: [LayerPiece] = []
        /// The taps that became part of another one.
        var joined: [VoiceTap] = []
        /// The taps that became part of a texture.
        var texture: [VoiceTap] = []
    }

    /// The taps in order of time that were not decided yet.
    private var taps: ArraySlice<VoiceTap> = []
    /// Whether the first tap continues a texture.
    private var isTexture = false

    private let plant: Plant
    /// The time that a motor takes to brake between two taps, in microseconds.
    private static let fall: Microseconds = 20_000
    private static let longestRise = 75_000.0
    /// The length below which a row becomes one tap, in microseconds.
    private static let shortestTexture: Microseconds = 45_000
    /// The time for which a texture lasts beyond its last tap, in microseconds.
    private static let tail: Microseconds = 12_000
    /// The time after a tap until which the following taps must be known, in microseconds.
    static let lookahead: Microseconds = 140_000

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
        while let tap = taps.first, tap.time < settled {
            let row = shortRow()
            if isTexture || (row < taps.count && isJoined(row)) {
                continueTexture(&result)
            } else {
                join(row, &result)
            }
        }
        return result
    }

    /// Returns the number of taps that follow each other closely from the first one on, as long as
    /// they are no texture.
    private func shortRow() -> Int {
        guard !isTexture else { return 0 }
        var row = 1
        while row < taps.count, isJoined(row), time(row) - time(0) < Self.shortestTexture {
            row += 1
        }
        return row
    }

    private func time(_ index: Int) -> Microseconds { taps[taps.startIndex + index].time }

    /// Whether a tap is too close to the one before it to be parted from it.
    private func isJoined(_ index: Int) -> Bool {
        let first = taps.startIndex + index
        return isJoined(taps[first - 1], taps[first])
    }

    private func isJoined(_ one: VoiceTap, _ other: VoiceTap) -> Bool {
        let distance = other.time - one.time
        guard plant.kind == .erm, distance > 0 else { return distance == 0 }
        let rise = plant.rise(
            from: 0, to: plant.state(for: max(one.intensity, other.intensity)))
        return Double(distance - Self.fall) < min(rise, Self.longestRise)
    }

    /// Moves on to the next moment of the texture.
    private mutating func continueTexture(_ result: inout Result) {
        let tap = removeChord(&result)
        result.texture.append(tap)
        guard let next = taps.first, isJoined(tap, next) else {
            isTexture = false
            let hold = Line(from: 0, to: .max, tap.intensity, tap.intensity)
            result.levels.append(level(of: tap, until: tap.time + Self.tail, hold))
            return
        }
        isTexture = true
        let chord = taps.prefix { $0.time == next.time }
        let intensity = chord.lazy.map(\.intensity).max() ?? next.intensity
        let line = Line(from: tap.time, to: next.time, tap.intensity, intensity)
        result.levels.append(level(of: tap, until: next.time, line))
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

    /// Keeps the strongest of the first taps, at the time of the first.
    private mutating func join(_ count: Int, _ result: inout Result) {
        let row = taps.prefix(count)
        taps = taps.dropFirst(count)
        var strongest = row.max { $0.intensity < $1.intensity }!
        result.joined += row.filter { $0 != strongest }
        strongest.time = row.first!.time
        result.taps.append(strongest)
    }

    private func level(of tap: VoiceTap, until end: Microseconds, _ line: Line) -> LayerPiece {
        LayerPiece(
            from: tap.time, to: end, level: line, sharpness: .silence, source: tap.source)
    }
}
