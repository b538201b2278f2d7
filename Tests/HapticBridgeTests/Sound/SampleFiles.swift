// SampleFiles: sound files that the tests write byte by byte, and FLAC files that libsndfile
// writes.

import CSoundFile

/// Sound files in memory.
enum SampleFiles {
    /// Returns a WAV file (RIFF) with 16-bit samples (format 1) and an arbitrary header.
    static func wav(
        _ samples: [Int16], channels: UInt16 = 1, rate: UInt32 = 48_000, dataSize: UInt32? = nil
    ) -> [UInt8] {
        let data = samples.flatMap { little(UInt16(bitPattern: $0)) }
        return Array("RIFF".utf8) + little(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8)
            + little(UInt32(16)) + little(UInt16(1)) + little(channels) + little(rate)
            + little(rate &* UInt32(channels) &* 2) + little(channels &* 2) + little(UInt16(16))
            + Array("data".utf8) + little(dataSize ?? UInt32(data.count)) + data
    }

    /// Returns a WAV file with floating-point samples (format 3) in one channel.
    static func floatWAV(_ samples: [Float], rate: UInt32 = 48_000) -> [UInt8] {
        let data = samples.flatMap { little($0.bitPattern) }
        return Array("RIFF".utf8) + little(UInt32(36 + data.count)) + Array("WAVEfmt ".utf8)
            + little(UInt32(16)) + little(UInt16(3)) + little(UInt16(1)) + little(rate)
            + little(rate * 4) + little(UInt16(4)) + little(UInt16(32))
            + Array("data".utf8) + little(UInt32(data.count)) + data
    }

    /// Returns an AIFF file with 16-bit samples at 44.1 kHz. The header contains the rate as an
    /// 80-bit number.
    static func aiff(_ samples: [Int16], channels: UInt16 = 1) -> [UInt8] {
        let data = samples.flatMap { big(UInt16(bitPattern: $0)) }
        let common =
            Array("COMM".utf8) + big(UInt32(18)) + big(channels)
            + big(UInt32(samples.count / Int(channels))) + big(UInt16(16))
            + [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]
        let sound =
            Array("SSND".utf8) + big(UInt32(8 + data.count)) + big(UInt32(0)) + big(UInt32(0))
            + data
        return Array("FORM".utf8) + big(UInt32(4 + common.count + sound.count))
            + Array("AIFF".utf8) + common + sound
    }

    /// Writes a FLAC file with 16-bit samples in one channel.
    static func flac(_ samples: [Float], at path: String) {
        var info = SF_INFO()
        (info.samplerate, info.channels) = (48_000, 1)
        info.format = Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
        let file = sf_open(path, Int32(SFM_WRITE), &info)
        sf_writef_float(file, samples, sf_count_t(samples.count))
        sf_close(file)
    }

    private static func little<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private static func big<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
