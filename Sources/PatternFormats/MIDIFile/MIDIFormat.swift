// Standard MIDI files: notes become taps and continuous events.

import HapticPatterns

/// The format of Standard MIDI Files 0 and 1.
///
/// The velocity of a note is its intensity. Notes 36 to 96 are sharpness 0 to 1. A note of percussion, or
/// one that is shorter than 50 ms, is a tap; any other lasts as long as it is held.
struct MIDIFormat: PatternFormat {
    /// The name for options and messages.
    let name = "midi"
    /// The description in a few words.
    let summary = "Standard MIDI File 0 or 1"
    /// The ending of file names.
    let fileExtension = "mid"
    /// The relation between amplitude and intensity, unless another one is asked for.
    let intensityLaw: IntensityLaw? = nil

    static let magic = Array("MThd".utf8)

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .bytes(let bytes) = content else { return false }
        return bytes.starts(with: Self.magic)
    }

    /// Reads a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = MIDIReader(bytes)
        let notes = try reader.read()
        return ReadPattern(
            HapticPattern(events: notes.map(\.event)), losses: reader.losses)
    }
}

/// A note that was played.
struct MIDINote {
    var start: Microseconds
    var end: Microseconds
    var key: UInt8
    var velocity: UInt8
    var isPercussion: Bool

    /// The length below which a note is a tap, in microseconds.
    private static let tapMax: Microseconds = 50_000

    /// The keys of sharpness 0 and 1.
    private static let keys = 36.0...96.0

    var event: HapticEvent {
        let width = Self.keys.upperBound - Self.keys.lowerBound
        let sharpness = min(max((Double(key) - Self.keys.lowerBound) / width, 0), 1)
        let isTap = isPercussion || end - start < Self.tapMax
        return HapticEvent(
            isTap ? .hapticTransient : .hapticContinuous, time: start,
            duration: isTap ? nil : end - start, intensity: Double(velocity) / 127,
            sharpness: sharpness)
    }
}
