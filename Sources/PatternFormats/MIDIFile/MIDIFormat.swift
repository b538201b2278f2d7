// MIDIFormat: Standard MIDI Files, whose notes become taps and continuous events.

import HapticPatterns

/// The format of Standard MIDI Files 0 and 1.
///
/// The velocity of a note becomes the intensity. Keys 36 to 96 become sharpness 0 to 1. A
/// percussion note, or a note shorter than 50 ms, becomes a tap; any other note becomes a
/// continuous event of the same duration.
struct MIDIFormat: PatternFormat {
    /// The name in options and messages.
    let name = "midi"
    /// A short description.
    let summary = "Standard MIDI File 0 or 1"
    /// The extension of file names.
    let fileExtension = "mid"
    /// The relation between amplitude and intensity, unless the caller specifies another.
    let intensityLaw: IntensityLaw? = nil

    static let magic = Array("MThd".utf8)

    /// Returns whether a file is of this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .bytes(let bytes) = content else { return false }
        return bytes.starts(with: Self.magic)
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = MIDIReader(bytes)
        let notes = try reader.read()
        return ReadPattern(
            HapticPattern(events: notes.map(\.event)), losses: reader.losses)
    }
}

/// A note with its start and its end.
struct MIDINote {
    var start: Microseconds
    var end: Microseconds
    var key: UInt8
    var velocity: UInt8
    var isPercussion: Bool

    /// The minimum duration of a continuous event, in microseconds. A shorter note becomes a tap.
    private static let tapMax: Microseconds = 50_000

    /// The keys that correspond to sharpness 0 and 1.
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
