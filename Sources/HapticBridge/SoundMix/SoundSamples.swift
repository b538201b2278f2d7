// SoundSamples: a decoded stereo sound.

/// A sound as samples of a left and a right channel.
package struct SoundSamples: Sendable, Equatable {
    /// The samples of the left channel; full scale is -1...1.
    package let left: [Float]
    /// The samples of the right channel, with the length of the left channel.
    package let right: [Float]
    /// The number of samples per second and channel.
    package let sampleRate: Int

    /// Creates a stereo sound. A single channel is used for both sides. If there are more than two
    /// channels, the left side is the mean of the first, third, fifth and so on, and the right side
    /// is the mean of the other channels.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, all of the same length.
    ///   - sampleRate: the number of samples per second and channel, above 0.
    package init(channels: [[Float]], sampleRate: Int) {
        self.sampleRate = sampleRate
        left = Self.average(channels.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
        right =
            channels.count == 1
            ? left
            : Self.average(channels.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
    }

    private static func average(_ channels: [[Float]]) -> [Float] {
        guard channels.count > 1 else { return channels.first ?? [] }
        return channels[0].indices.map { index in
            channels.reduce(0) { $0 + $1[index] } / Float(channels.count)
        }
    }

    /// The number of samples of each channel.
    package var count: Int { left.count }
    /// The duration in microseconds, rounded up.
    package var duration: Int64 {
        (Int64(count) * 1_000_000 + Int64(sampleRate) - 1) / Int64(sampleRate)
    }
}

/// Frames of sound for a loudspeaker: the samples of both channels, -1...1 unless the sum of
/// several sounds is louder.
package struct SoundFrames: Sendable, Equatable {
    /// The samples of the left channel.
    package var left: [Float]
    /// The samples of the right channel, with the length of the left channel.
    package var right: [Float]

    /// Creates silent frames.
    package init(count: Int) {
        left = [Float](repeating: 0, count: count)
        right = left
    }

    /// The number of frames.
    package var count: Int { left.count }

    /// True if all samples are 0.
    package var isSilent: Bool { left.allSatisfy { $0 == 0 } && right.allSatisfy { $0 == 0 } }

    /// The samples of both channels, interleaved and limited to -1...1.
    package var interleaved: [Float] { interleaved(in: .stereo) }

    /// Returns the samples of all channels of a device, interleaved and limited to -1...1. Channels
    /// other than those of the layout are silent.
    package func interleaved(in layout: SoundLayout) -> [Float] {
        var samples = [Float](repeating: 0, count: layout.count * count)
        for (channel, values) in zip(layout.channels, [left, right]) {
            for (frame, value) in values.enumerated() {
                samples[frame * layout.count + channel] = min(max(value, -1), 1)
            }
        }
        return samples
    }
}

/// The channels of a sound device that play frames.
package struct SoundLayout: Sendable, Equatable {
    /// The indices of the channels that play the left and the right samples, or the left samples
    /// alone.
    package var channels: [Int]
    /// The number of channels of the device.
    package var count: Int

    /// The layout of a device with two channels.
    package static let stereo = SoundLayout(channels: [0, 1], count: 2)

    /// Creates a layout.
    package init(channels: [Int], count: Int) { (self.channels, self.count) = (channels, count) }
}
