// MIDIFormat: Standard MIDI Files, whose notes become taps and continuous events.

import HapticPatterns

/// The Standard MIDI File formats 0 and 1, including files inside RIFF (RMID).
///
/// The velocity of a note becomes the intensity. Keys 36 to 96 become sharpness 0 to 1. A
/// percussion note, or a note shorter than 50 ms, becomes a tap; any other note becomes a
/// continuous event of the same duration.
final class MIDIFormat: PatternFormat {
    /// The name in options and messages.
    let name = "midi"
    /// A short description.
    let summary = "Standard MIDI File 0 or 1, including in RIFF"
    /// The file name extension.
    let fileExtension = "mid"
    /// The relation between amplitude and intensity that applies unless the caller specifies
    /// another relation.
    let intensityLaw: IntensityLaw? = nil

    static let magic = Array("MThd".utf8)

    /// Returns whether a file is in this format.
    func recognizes(_ content: FormatContent) -> Bool {
        guard case .bytes(let bytes) = content else { return false }
        return bytes.starts(with: Self.magic) || Self.isInRIFF(bytes)
    }

    /// Returns whether the bytes are a RIFF file that contains a MIDI file.
    static func isInRIFF(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "RMID".utf8)
    }

    /// Reads the bytes of a file.
    func read(_ bytes: [UInt8], law: IntensityLaw) throws(FormatError) -> ReadPattern {
        var reader = MIDIReader(bytes)
        let events = try reader.read()
        return ReadPattern(HapticPattern(events: events), losses: reader.losses)
    }
}

/// A note with its start and its end in ticks.
struct MIDINote {
    var start: Int64
    var end: Int64
    var channel: UInt8
    var key: UInt8
    var velocity: UInt8
    /// The offset of the message that starts the note.
    var byte: Int
    /// True if no message ends the note.
    var isHeld = false

    /// The minimum duration of a continuous event, in microseconds. A shorter note becomes a tap.
    private static let tapMax: Microseconds = 50_000

    /// The keys that correspond to sharpness 0 and 1.
    private static let keys = 36.0...96.0

    /// True if the channel is the tenth, which is percussion (General MIDI).
    var isPercussion: Bool { channel == 9 }

    /// Returns the event that the note becomes.
    func event(_ clock: MIDIClock) throws(FormatError) -> HapticEvent {
        guard let time = clock.time(at: start), let endTime = clock.time(at: end) else {
            throw FormatError(
                at: .byte(byte), "the note ends more than a day after the start",
                advice: "shorten the file")
        }
        let width = Self.keys.upperBound - Self.keys.lowerBound
        let sharpness = min(max((Double(key) - Self.keys.lowerBound) / width, 0), 1)
        let isTap = isPercussion || endTime - time < Self.tapMax
        return HapticEvent(
            isTap ? .hapticTransient : .hapticContinuous, time: time,
            duration: isTap ? nil : endTime - time, intensity: Double(velocity) / 127,
            sharpness: sharpness)
    }
}
