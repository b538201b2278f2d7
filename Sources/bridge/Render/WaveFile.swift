// WaveFile: a drive as sound, with 16 bits and one channel.

import Foundation
import VirtualBoard

/// A RIFF WAVE file of linear samples (Microsoft and IBM, Multimedia Programming Interface 1.0, 1991).
struct WaveFile {
    let samples: [Int16]

    /// The sample rate in hertz.
    static let rate = 48_000

    /// Creates the drive of an actuator on its carrier: the sound of a loudspeaker of infinite
    /// bandwidth at the output of the driver. Full drive is full scale.
    ///
    /// - Parameters:
    ///   - resonance: the carrier frequency in hertz.
    ///   - length: the length in microseconds.
    init(_ drive: [DriveChange], resonance: Double, length: Int64) {
        var rest = drive[...]
        var present = 0
        samples = (0..<Int(length * Int64(Self.rate) / 1_000_000)).map { index in
            let time = Int64(index) * 1_000_000 / Int64(Self.rate)
            while let change = rest.first, change.time <= time {
                present = change.drive
                rest.removeFirst()
            }
            let phase = 2 * Double.pi * resonance * Double(index) / Double(Self.rate)
            return Int16((Double(present) / 255 * 32_767 * sin(phase)).rounded())
        }
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
        append(UInt32(Self.rate * 2))  // bytes a second
        append(UInt16(2))  // bytes of a sample of all channels
        append(UInt16(16))  // bits
        append("data")
        append(size)
        for sample in samples { append(sample) }
        return bytes
    }
}
