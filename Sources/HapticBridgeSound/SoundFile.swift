// SoundFile: a sound file as samples, whatever its format.

import CSoundFile

/// The samples of a sound file: WAV, AIFF, FLAC, Ogg and whatever else libsndfile reads.
///
/// A file may come from a stranger: one that is larger than its ``Limits``, or that is no sound, is
/// refused before memory is spent on it.
package struct SoundFile: Sendable, Equatable {
    /// The samples of each channel; full scale is -1...1. All channels have the same length.
    package let channels: [[Float]]
    /// The number of samples per second and channel, 1,000...768,000.
    package let sampleRate: Int
    /// The number of bytes by which the file was shorter than its head announces, because it is cut off: 0 if it is
    /// complete.
    package let missingBytes: Int

    /// The number of samples of each channel.
    package var length: Int { channels.first?.count ?? 0 }
    /// The duration in seconds.
    package var duration: Double { Double(length) / Double(sampleRate) }

    /// The greatest size of a sound file.
    package struct Limits: Sendable {
        /// The greatest size of the file, in bytes.
        package var bytes: Int
        /// The greatest number of samples, over all channels.
        package var samples: Int

        /// Makes limits: by default 128 MiB for the file and 40 Mi samples, which are more than 7 minutes in
        /// stereo at 48 kHz, and 160 MiB of memory.
        package init(bytes: Int = 128 << 20, samples: Int = 40 << 20) {
            self.bytes = bytes
            self.samples = samples
        }
    }

    /// The sample rates that are read, in hertz.
    package static let sampleRates = 1_000...768_000
    /// The numbers of channels that are read.
    package static let channelCounts = 1...16

    /// Makes a sound from samples.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel, all of the same length.
    ///   - sampleRate: the number of samples per second and channel.
    ///   - missingBytes: the number of bytes that are cut off.
    package init(channels: [[Float]], sampleRate: Int, missingBytes: Int = 0) {
        self.channels = channels
        self.sampleRate = sampleRate
        self.missingBytes = missingBytes
    }

    /// Reads a sound file.
    ///
    /// - Throws: ``SoundFileError`` if there is no such file, if it is not a regular file, if it is
    ///   no sound, or if it exceeds the limits.
    package static func read(_ path: String, limits: Limits = Limits()) throws(SoundFileError)
        -> SoundFile
    {
        try read(ByteSource(FileBytes(path, limit: limits.bytes)), name: path, limits: limits)
    }

    /// Reads the bytes of a sound file.
    ///
    /// - Parameter name: the name of the file in errors.
    /// - Throws: ``SoundFileError`` if the bytes are no sound, or exceed the limits.
    package static func read(_ bytes: [UInt8], name: String, limits: Limits = Limits())
        throws(SoundFileError) -> SoundFile
    {
        try read(ByteSource(bytes), name: name, limits: limits)
    }

    private static func read(
        _ source: ByteSource, name: String, limits: Limits
    ) throws(SoundFileError) -> SoundFile {
        let decoder = try SoundDecoder(source, name: name, limits: limits)
        return SoundFile(
            channels: try decoder.decode(), sampleRate: decoder.sampleRate,
            missingBytes: source.missing)
    }
}

/// The reason why a sound file is refused.
package struct SoundFileError: Error, Equatable, CustomStringConvertible {
    /// The name of the file.
    package let file: String
    /// The place in the file at which reading ended, as the number of a sample of each channel; nil
    /// if nothing was read.
    package let sample: Int?
    /// The problem, what was expected, and what to do.
    package let problem: String

    init(_ file: String, at sample: Int? = nil, _ problem: String) {
        self.file = file
        self.sample = sample
        self.problem = problem
    }

    /// The file, the place and the problem.
    package var description: String {
        file + (sample.map { ": sample \($0)" } ?? "") + ": " + problem
    }
}
