// SoundDecoder: decodes the bytes of a file or of memory with libsndfile.

import CSoundFile

/// A decoder of one sound file. The library reads the bytes through callbacks, so it never opens a
/// file itself.
final class SoundDecoder {
    let sampleRate: Int
    let channelCount: Int
    private let name: String
    private let frameCount: Int
    private let file: OpaquePointer
    private let source: ByteSource

    /// The number of samples per channel in a decoded block.
    private static let blockLength = 16_384

    /// Reads the header.
    init(_ source: ByteSource, name: String, limits: SoundFile.Limits) throws(SoundFileError) {
        self.source = source
        self.name = name
        guard source.count > 0 else { throw SoundFileError(name, "the file is empty") }
        var callbacks = ByteSource.callbacks
        var info = SF_INFO()
        let context = Unmanaged.passUnretained(source).toOpaque()
        guard let file = sf_open_virtual(&callbacks, Int32(SFM_READ), &info, context) else {
            var reason = String(cString: sf_error_number(sf_error(nil)))
            if reason.hasSuffix(".") { reason.removeLast() }
            throw SoundFileError(
                name,
                "this is not a readable sound file (\(reason)); WAV, AIFF, FLAC, Ogg and MP3 files can be read"
            )
        }
        self.file = file
        (sampleRate, channelCount) = (Int(info.samplerate), Int(info.channels))
        frameCount = Int(info.frames)
        try check(limits)
    }

    deinit { sf_close(file) }

    private func check(_ limits: SoundFile.Limits) throws(SoundFileError) {
        let rates = SoundFile.sampleRates
        guard rates.contains(sampleRate) else {
            throw SoundFileError(
                name,
                "the sample rate is \(sampleRate) Hz; \(rates.lowerBound) to \(rates.upperBound) Hz "
                    + "can be read")
        }
        guard SoundFile.channelCounts.contains(channelCount) else {
            throw SoundFileError(
                name,
                "the file has \(channelCount) channels; up to \(SoundFile.channelCounts.upperBound) "
                    + "can be read")
        }
        guard frameCount < Int.max else { throw SoundFileError(name, reasonOfUnknownLength) }
        // The values in the header are compared with the limits before any samples are decoded.
        guard frameCount <= limits.samples / channelCount else {
            throw SoundFileError(
                name,
                "the file has \(frameCount) samples"
                    + (channelCount == 1 ? "" : " in each of \(channelCount) channels")
                    + "; the limit is \(limits.samples)"
                    + (channelCount == 1 ? "" : " in all channels together") + ", so shorten it"
                    + (channelCount == 1 ? "" : " (or mix it down to one channel)"))
        }
    }

    /// The reason why libsndfile cannot determine the length of the file. In an Ogg file, the last
    /// page contains the length.
    private var reasonOfUnknownLength: String {
        let pages = OggPages(source)
        guard pages.streamCount > 0 else {
            return "the file does not state its length; convert it to WAV"
        }
        guard pages.hasEnd, pages.bytesAfterEnd > 0 else {
            return
                "the file is incomplete: its last page is missing or damaged; create the file again"
        }
        return "the last page is followed by \(pages.bytesAfterEnd) bytes that are not Ogg; remove "
            + "them, or create the file again"
    }

    /// Decodes all samples of each channel.
    func decode() throws(SoundFileError) -> [[Float]] {
        var channels = [[Float]](repeating: [], count: channelCount)
        for index in channels.indices { channels[index].reserveCapacity(frameCount) }
        var block = [Float](repeating: 0, count: Self.blockLength * channelCount)
        while channels[0].count < frameCount {
            let count = Int(sf_readf_float(file, &block, sf_count_t(Self.blockLength)))
            guard count > 0 else {
                throw SoundFileError(
                    name, at: channels[0].count,
                    "the file ends here, but its header specifies \(frameCount) samples; create the file again"
                )
            }
            for index in channels.indices {
                try append(block, count, channel: index, to: &channels[index])
            }
        }
        return channels
    }

    private func append(
        _ block: [Float], _ count: Int, channel: Int, to samples: inout [Float]
    ) throws(SoundFileError) {
        var index = channel
        for _ in 0..<count {
            guard block[index].isFinite else {
                throw SoundFileError(
                    name, at: samples.count,
                    "the sample is infinite or not a number; create the file again")
            }
            samples.append(block[index])
            index += channelCount
        }
    }
}
