// WaveFile: writes samples as a sound file with 16 bits and one channel.

/// A RIFF WAVE file of linear samples (Microsoft and IBM, Multimedia Programming Interface 1.0,
/// 1991).
struct WaveFile {
    let samples: [Int16]

    /// The sample rate in hertz.
    static let rate = 48_000

    /// Creates a file from samples, -1...1, at ``rate``.
    init(samples: [Float]) {
        self.samples = samples.map { Int16((min(max($0, -1), 1) * 32_767).rounded()) }
    }

    /// The bytes of the file: RIFF, `fmt ` for linear samples, `data`; little endian.
    var bytes: [UInt8] {
        let size = UInt32(samples.count * 2)
        var bytes: [UInt8] = []
        func append(_ text: String) { bytes += Array(text.utf8) }
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }
        append("RIFF")
        append(36 + size)
        append("WAVEfmt ")
        append(UInt32(16))
        append(UInt16(1))  // linear
        append(UInt16(1))  // channels
        append(UInt32(Self.rate))
        append(UInt32(Self.rate * 2))  // bytes per second
        append(UInt16(2))  // bytes per sample frame
        append(UInt16(16))  // bits
        append("data")
        append(size)
        for sample in samples { append(sample) }
        return bytes
    }
}
