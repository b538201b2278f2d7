// SoundNote: a playing sound, whose position advances with every frame.

import CMath

/// A playing sound, with its position and gains.
struct SoundNote: Sendable {
    /// The source of the samples.
    enum Source: Sendable {
        /// A decoded file, repeated indefinitely or played once. The position is in samples.
        case samples(SoundSamples, isLooped: Bool)
        /// A tone with overtones that depend on the brightness. The position is in periods.
        case tone(brightness: Double)
    }

    /// The gains of the two channels, 0...1.
    struct Gains: Sendable, Equatable {
        var left: Double
        var right: Double

        static let silent = Gains(left: 0, right: 0)

        /// Creates the gains for a volume of 0...1 and a stereo position between left (-1) and
        /// right (1). At position 0, both gains are equal to the volume.
        init(volume: Double, pan: Double) {
            left = volume * min(1, 1 - pan)
            right = volume * min(1, 1 + pan)
        }

        private init(left: Double, right: Double) { (self.left, self.right) = (left, right) }
    }

    /// The index of the event in its pattern.
    let event: Int
    var source: Source
    /// The position in the source at the next frame.
    var position: Double
    /// The increment of the position per frame.
    var increment = 0.0
    /// The gains at the next frame.
    var gains: Gains

    /// True if the source has been played to its end.
    var hasEnded: Bool {
        if case .samples(let samples, isLooped: false) = source {
            return position >= Double(samples.count)
        }
        return false
    }

    /// Adds the sound to frames. The gains change linearly from their current values to `end`.
    mutating func play(_ range: Range<Int>, to end: Gains, into frames: inout SoundFrames) {
        guard !range.isEmpty else { return }
        let count = Double(range.count)
        let (leftStep, rightStep) = (
            (end.left - gains.left) / count, (end.right - gains.right) / count
        )
        for frame in range {
            let (left, right) = sample
            frames.left[frame] += Float(gains.left * left)
            frames.right[frame] += Float(gains.right * right)
            gains.left += leftStep
            gains.right += rightStep
            position += increment
        }
        gains = end
    }

    private var sample: (left: Double, right: Double) {
        guard !hasEnded else { return (0, 0) }
        switch source {
        case .samples(let samples, let isLooped):
            let point = SamplePosition(position, isLooped: isLooped, count: samples.count)
            let left = point.value(in: samples.left)
            return (left, samples.left == samples.right ? left : point.value(in: samples.right))
        case .tone(let brightness):
            let value = Self.tone(at: position, brightness)
            return (value, value)
        }
    }

    /// The number of partials of a tone.
    private static let partials = 6

    /// Returns the value of a tone at a position in its period. The amplitude of partial k is
    /// proportional to the (k - 1)th power of half the brightness. The amplitude of the sum never
    /// exceeds 1.
    private static func tone(at position: Double, _ brightness: Double) -> Double {
        let angle = 2 * .pi * (position - position.rounded(.down))
        let twice = 2 * math_cos(angle)
        var (previous, present) = (0.0, math_sin(angle))
        var (value, strength, total) = (0.0, 1.0, 0.0)
        for _ in 0..<partials {
            value += strength * present
            total += strength
            strength *= brightness / 2
            (previous, present) = (present, twice * present - previous)
        }
        return value / total
    }
}

/// A position between samples.
private struct SamplePosition {
    private let index: Int
    private let fraction: Double
    private let isLooped: Bool
    private let count: Int

    init(_ position: Double, isLooped: Bool, count: Int) {
        let floor = position.rounded(.down)
        index = Int(floor)
        fraction = position - floor
        (self.isLooped, self.count) = (isLooped, count)
    }

    /// Returns the interpolated value at the position, by a cubic Hermite curve with Catmull-Rom
    /// slopes through the four surrounding samples.
    func value(in samples: [Float]) -> Double {
        let present = sample(0, samples)
        guard fraction > 0 else { return present }
        let (before, next, after) = (sample(-1, samples), sample(1, samples), sample(2, samples))
        let slope = (next - before) / 2
        let rise = next - present
        let bend = slope + (after - present) / 2 - 2 * rise
        return present + fraction * (slope + fraction * (rise - slope - bend + fraction * bend))
    }

    private func sample(_ offset: Int, _ samples: [Float]) -> Double {
        var position = index + offset
        if isLooped {
            position %= count
            if position < 0 { position += count }
        }
        return position >= 0 && position < count ? Double(samples[position]) : 0
    }
}
