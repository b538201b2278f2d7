// KernelFields: the fields of the kernel's structures.

import PatternFormats

/// The fields of a structure of the kernel, in the little-endian order of all supported computers.
struct KernelFields {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    func unsigned(at index: Int) -> UInt16 { bytes.littleEndian16(at: index) }

    func unsigned32(at index: Int) -> UInt32 { bytes.littleEndian32(at: index) }

    func milliseconds(at index: Int) -> Int64 { Int64(unsigned(at: index)) * 1_000 }

    /// Returns a signed magnitude as -1...1.
    func force(at index: Int) -> Double {
        max(-1, Double(Int16(bitPattern: unsigned(at: index))) / 0x7FFF)
    }

    func motors(at index: Int) -> RumbleMotors {
        RumbleMotors(
            strong: Double(unsigned(at: index)) / 0xFFFF,
            weak: Double(unsigned(at: index + 2)) / 0xFFFF)
    }

    /// Returns the envelope at an index; if the index is nil, returns an envelope that has no
    /// effect.
    func envelope(at index: Int?) -> RumbleEnvelope {
        guard let index else {
            return RumbleEnvelope(attackLength: 0, attackLevel: 0, fadeLength: 0, fadeLevel: 0)
        }
        return RumbleEnvelope(
            attackLength: milliseconds(at: index),
            attackLevel: min(1, Double(unsigned(at: index + 2)) / 0x7FFF),
            fadeLength: milliseconds(at: index + 4),
            fadeLevel: min(1, Double(unsigned(at: index + 6)) / 0x7FFF))
    }
}
