// SoundFile: the samples of a sound file.

import CSoundFile

/// The samples of a sound file in any format that libsndfile reads, for example WAV, AIFF, FLAC or
/// Ogg.
///
/// A file may be untrusted. If it exceeds the ``Limits`` or is not a sound file, an error is thrown
/// before memory is allocated for its samples.
package struct SoundFile: Sendable, Equatable {
    /// The samples of each audible channel; full scale is -1...1. All channels have the same
    /// length.
    package let channels: [[Float]]
    /// The samples of each channel that contains the signal for an actuator. Only Ogg files for
    /// Android have such channels.
    package let hapticChannels: [[Float]]
    /// The number of samples per second and channel, 1,000...768,000.
    package let sampleRate: Int
    /// The number of bytes by which the file is shorter than the length in its header; 0 if the
    /// file is complete.
    package let missingBytes: Int
    /// The number of streams that follow one another in an Ogg file; 0 for another file. Only the
    /// first stream is read.
    package let oggStreamCount: Int

    /// The number of samples of each channel.
    package var length: Int { channels.first?.count ?? 0 }
    /// The duration in seconds.
    package var duration: Double { Double(length) / Double(sampleRate) }

    /// The limits on the size of a sound file.
    package struct Limits: Sendable {
        /// The maximum size of the file, in bytes.
        package var bytes: Int
        /// The maximum number of samples of all channels together.
        package var samples: Int

        /// Creates limits. The defaults are 128 MiB for the file and 40 Mi samples. 40 Mi samples
        /// are more than 7 minutes of stereo sound at 48 kHz, and take 160 MiB of memory.
        package init(bytes: Int = 128 << 20, samples: Int = 40 << 20) {
            self.bytes = bytes
            self.samples = samples
        }
    }

    /// The supported sample rates, in hertz.
    package static let sampleRates = 1_000...768_000
    /// The supported numbers of channels.
    package static let channelCounts = 1...16

    /// Creates a sound from samples.
    ///
    /// - Parameters:
    ///   - channels: the samples of each channel with sound, all of the same length.
    ///   - hapticChannels: the samples of each channel that contains the signal for an actuator.
    ///   - sampleRate: the number of samples per second and channel.
    ///   - missingBytes: the number of bytes that are missing at the end of the file.
    ///   - oggStreamCount: the number of streams that follow one another in an Ogg file.
    package init(
        channels: [[Float]], hapticChannels: [[Float]] = [], sampleRate: Int,
        missingBytes: Int = 0, oggStreamCount: Int = 0
    ) {
        self.channels = channels
        self.hapticChannels = hapticChannels
        self.sampleRate = sampleRate
        self.missingBytes = missingBytes
        self.oggStreamCount = oggStreamCount
    }

    /// Reads a sound file.
    ///
    /// - Throws: ``SoundFileError`` if the file does not exist, is not a regular file, is not a
    ///   sound file, or exceeds the limits.
    package static func read(_ path: String, limits: Limits = Limits()) throws(SoundFileError)
        -> SoundFile
    {
        try read(ByteSource(FileBytes(path, limit: limits.bytes)), name: path, limits: limits)
    }

    /// Reads the bytes of a sound file.
    ///
    /// - Parameter name: the name of the file in errors.
    /// - Throws: ``SoundFileError`` if the bytes are not a sound file, or exceed the limits.
    package static func read(_ bytes: [UInt8], name: String, limits: Limits = Limits())
        throws(SoundFileError) -> SoundFile
    {
        try read(ByteSource(bytes), name: name, limits: limits)
    }

    private static func read(
        _ source: ByteSource, name: String, limits: Limits
    ) throws(SoundFileError) -> SoundFile {
        let decoder = try SoundDecoder(source, name: name, limits: limits)
        let haptic = try hapticCount(source, of: decoder.channelCount, name: name)
        let channels = try decoder.decode()
        return SoundFile(
            channels: Array(channels.dropLast(haptic)),
            hapticChannels: Array(channels.suffix(haptic)),
            sampleRate: decoder.sampleRate, missingBytes: source.missing,
            oggStreamCount: OggPages(source).streamCount)
    }

    /// Returns the number of haptic channels, which are the last channels of an Ogg file for Android.
    private static func hapticCount(
        _ source: ByteSource, of channelCount: Int, name: String
    ) throws(SoundFileError) -> Int {
        let key = "ANDROID_HAPTIC"
        guard source.bytes(atMost: OggComments.magic.count) == OggComments.magic,
            let text = OggComments.value(
                of: key, in: source.bytes(atMost: OggComments.searchedLength))
        else { return 0 }
        guard let count = Int(text), 0...channelCount ~= count else {
            throw SoundFileError(
                name,
                "the comment \(key) must be the number of haptic channels, 0 to \(channelCount); "
                    + "correct or remove the comment")
        }
        return count
    }
}

/// The reason why a sound file cannot be read.
package struct SoundFileError: Error, Equatable, CustomStringConvertible {
    /// The name of the file.
    package let file: String
    /// The position at which reading ended, as a number of samples per channel; nil if nothing was
    /// read.
    package let sample: Int?
    /// A description of the problem, with the expected value and advice.
    package let problem: String

    init(_ file: String, at sample: Int? = nil, _ problem: String) {
        self.file = file
        self.sample = sample
        self.problem = problem
    }

    /// The text of the error: the file, the position and the problem.
    package var description: String {
        file + (sample.map { ": sample \($0)" } ?? "") + ": " + problem
    }
}
