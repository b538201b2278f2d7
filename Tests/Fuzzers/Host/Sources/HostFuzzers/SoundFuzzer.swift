// Fuzzes the import of sounds. Arbitrary samples must result in a pattern whose values are in their
// ranges, or in an error with a message.

import HapticPatterns
import PatternFormats
import SoundImport

/// Fuzzes the import. The first bytes are the settings, the kind of channel and the sample rate;
/// the other bytes are samples of 32 or 8 bits.
@_cdecl("fuzz_host_sound")
public func fuzzSound(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Input(bytes, count).bytes
    guard input.count > headerLength else { return 0 }
    let styles = ImportSettings.Style.allCases
    let settings = ImportSettings(
        style: styles[Int(input[0]) % styles.count], density: Double(input[1]) / 255,
        gain: Double(input[2]) / 255 * ImportSettings.gainMax)
    let samples = samples(input.dropFirst(headerLength), areFloats: input[3] & 1 == 1)
    do throws(FormatError) {
        let rate = 1_000 << ((Int(input[3]) >> 1) % 10)
        let isHaptic = input[0] & 0x80 != 0
        let sound =
            try isHaptic
            ? SoundImport(hapticChannels: [samples], sampleRate: rate)
            : SoundImport(channels: [samples], sampleRate: rate)
        check(try sound.pattern(settings).pattern)
    } catch {
        promise(!error.message.isEmpty && !error.advice.isEmpty, "an error has no explanation")
    }
    return 0
}

private let headerLength = 4

private func samples(_ bytes: ArraySlice<UInt8>, areFloats: Bool) -> [Float] {
    guard areFloats else { return bytes.map { Float(Int8(bitPattern: $0)) / 128 } }
    return stride(from: bytes.startIndex, to: bytes.endIndex - 3, by: 4).map { start in
        Float(bitPattern: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
}

private func check(_ pattern: HapticPattern) {
    let taps = pattern.events.filter { $0.type == .hapticTransient }.map(\.time)
    promise(
        zip(taps, taps.dropFirst()).allSatisfy { $1 - $0 >= 16_667 }, "taps are too close")
    promise(
        pattern.events.allSatisfy { 0...1 ~= $0.intensity && 0...1 ~= $0.sharpness },
        "an event is out of range")
    promise(
        pattern.curves.allSatisfy { curve in
            curve.points.count <= 16 && curve.points.allSatisfy { 0...1 ~= $0.value }
        }, "a curve is out of range")
}
