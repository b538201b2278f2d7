// SoundDecoder: libsndfile over bytes in memory.

import CSoundFile

/// Decodes the bytes of one file. The library reads them through callbacks, so that it never opens a
/// file by itself.
final class SoundDecoder {
    let sampleRate: Int
    private let name: String
    private let channelCount: Int
    private let frameCount: Int
    private let file: OpaquePointer
    private let source: ByteSource

    /// The number of samples per channel that are decoded at once.
    private static let blockLength = 16_384

    /// Reads the header.
    init(_ bytes: [UInt8], name: String, limits: SoundFile.Limits) throws(SoundFileError) {
        source = ByteSource(bytes)
        self.name = name
        guard !bytes.isEmpty else { throw SoundFileError(name, "the file is empty") }
        var callbacks = ByteSource.callbacks
        var info = SF_INFO()
        let context = Unmanaged.passUnretained(source).toOpaque()
        guard let file = sf_open_virtual(&callbacks, Int32(SFM_READ), &info, context) else {
            let reason = String(cString: sf_error_number(sf_error(nil)))
            throw SoundFileError(
                name,
                "this is no sound that can be read (\(reason)); WAV, AIFF, FLAC and Ogg are, among "
                    + "others")
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
        // A header that claims too much is refused by what it claims, before anything is decoded.
        guard frameCount <= limits.samples / channelCount else {
            throw SoundFileError(
                name,
                "the file has \(frameCount) samples in \(channelCount) channels; at most "
                    + "\(limits.samples) are read, so shorten it")
        }
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
                    "the file ends here, and its header says \(frameCount) samples; make it again")
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
                throw SoundFileError(name, at: samples.count, "this is not a number")
            }
            samples.append(block[index])
            index += channelCount
        }
    }
}

/// Bytes with a position, for libsndfile.
private final class ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ByteSource {
        Unmanaged<ByteSource>.fromOpaque(context!).takeUnretainedValue()
    }

    static let callbacks = SF_VIRTUAL_IO(
        get_filelen: { sf_count_t(from($0).bytes.count) },
        seek: { from($2).seek($0, from: $1) },
        read: { from($2).read(Int($1), into: $0) },
        write: { _, _, _ in 0 },
        tell: { sf_count_t(from($0).position) })

    /// Moves the position. One outside of the bytes is refused, as by a file.
    private func seek(_ offset: sf_count_t, from origin: Int32) -> sf_count_t {
        let start: Int
        switch origin {
        case Int32(SF_SEEK_CUR): start = position
        case Int32(SF_SEEK_END): start = bytes.count
        default: start = 0
        }
        let (target, isTooFar) = start.addingReportingOverflow(Int(offset))
        guard !isTooFar, 0...bytes.count ~= target else { return -1 }
        position = target
        return sf_count_t(target)
    }

    private func read(_ count: Int, into destination: UnsafeMutableRawPointer?) -> sf_count_t {
        let count = min(max(0, count), bytes.count - position)
        bytes.withUnsafeBytes { source in
            guard count > 0, let start = source.baseAddress else { return }
            destination!.copyMemory(from: start + position, byteCount: count)
        }
        position += count
        return sf_count_t(count)
    }
}
