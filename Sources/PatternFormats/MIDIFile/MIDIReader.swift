// MIDIReader: converts the bytes of a Standard MIDI File to events. Errors that other readers
// accept are corrected and reported with their byte offset.

import HapticPatterns

/// Reads Standard MIDI Files.
struct MIDIReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The end of the MIDI file; in a RIFF file, the end of the chunk that contains the MIDI file.
    private var end: Int
    private(set) var losses: [FormatLoss] = []
    /// The number of reports with the same message.
    private var reports: [String: Int] = [:]
    /// The number of ticks per quarter note; nil if the file specifies ticks per second.
    private var ticksPerQuarter: Double?
    /// The duration of a tick in microseconds, if the file specifies ticks per second.
    private var tickLength = 1_000.0
    private var tempos: [MIDIClock.Tempo] = []
    private var notes: [MIDINote] = []

    /// The maximum number of reports with the same message.
    private static let maxReports = 10

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
    }

    mutating func read() throws(FormatError) -> [HapticEvent] {
        if MIDIFormat.isInRIFF(bytes[...]) { try enterRIFF() }
        let header = position
        let stated = try readHeader()
        let found = try readTracks(stated: stated)
        if found != stated {
            let message = "the header states a track count of \(stated), but \(found) were found"
            report(.degraded, at: header + 10, message)
        }
        return try events()
    }

    private func error(_ message: String, at offset: Int? = nil, advice: String) -> FormatError {
        FormatError(at: .byte(offset ?? position), message, advice: advice)
    }

    /// Adds a loss, unless there are already many losses with the same message.
    private mutating func report(
        _ verdict: FormatLoss.Verdict, at offset: Int, event: Int? = nil,
        time: Microseconds? = nil, _ message: String
    ) {
        let count = (reports[message] ?? 0) + 1
        reports[message] = count
        if count <= Self.maxReports {
            losses.append(FormatLoss(verdict, event: event, time: time, at: .byte(offset), message))
        } else if count == Self.maxReports + 1 {
            losses.append(FormatLoss(verdict, "further cases are not listed: \(message)"))
        }
    }

    // MARK: Bytes

    private mutating func byte() throws(FormatError) -> UInt8 {
        guard position < end else {
            throw error("the file is incomplete", advice: "export the file again")
        }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number(_ count: Int) throws(FormatError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 8 | UInt32(try byte()) }
        return value
    }

    /// Reads a variable-length number of at most four bytes.
    private mutating func variableNumber() throws(FormatError) -> Int {
        let start = position
        var value = 0
        for _ in 0..<4 {
            let next = try byte()
            value = value << 7 | Int(next & 0x7F)
            if next < 0x80 { return value }
        }
        throw error("a number has more than four bytes", at: start, advice: "export the file again")
    }

    private mutating func skip(_ count: Int) throws(FormatError) {
        guard count <= end - position else {
            throw error("an event is longer than the file", advice: "export the file again")
        }
        position += count
    }

    private func hasType(_ type: String, at offset: Int) -> Bool {
        bytes[offset..<end].starts(with: type.utf8)
    }

    // MARK: Chunks

    /// Moves to the MIDI file in the `data` chunk of a RIFF file, and skips the chunks before it.
    private mutating func enterRIFF() throws(FormatError) {
        position = 12
        while position < end {
            let start = position
            position += 4
            let length = Int(clamping: try number(4).byteSwapped)
            if hasType("data", at: start) {
                if length > end - position {
                    report(.degraded, at: start, "the data chunk is longer than the file")
                }
                end = position + min(length, end - position)
                return
            }
            // A chunk of an odd length is followed by a padding byte.
            position += min(length, end - position) + length % 2
        }
        throw error(
            "the RIFF file has no data chunk", at: 12, advice: "use a Standard MIDI File")
    }

    /// Reads the header, and returns the number of tracks that the header states.
    private mutating func readHeader() throws(FormatError) -> Int {
        let start = position
        guard hasType("MThd", at: start) else {
            throw error("expected the header (MThd)", advice: "use a Standard MIDI File")
        }
        position += 4
        let length = Int(clamping: try number(4))
        let headerStart = position
        let format = try number(2)
        guard format <= 1 else {
            throw error(
                "format \(format) is not supported", at: start + 8,
                advice: "export the file as format 0 or 1")
        }
        let tracks = Int(try number(2))
        let division = Int(try number(2))
        if division & 0x8000 == 0 {
            guard division > 0 else {
                throw error(
                    "the header states 0 ticks per quarter note", at: start + 12,
                    advice: "export the file again")
            }
            ticksPerQuarter = Double(division)
        } else {
            let frames = 256 - division >> 8
            let ticks = division & 0xFF
            guard frames > 0, ticks > 0 else {
                throw error(
                    "the header states 0 ticks per second", at: start + 12,
                    advice: "export the file again")
            }
            tickLength = 1e6 / Double(frames * ticks)
        }
        guard length >= 6, length <= end - headerStart else {
            throw error(
                "the header has a length of \(length) bytes; it must be at least "
                    + "6 bytes, and in the file", at: start + 4, advice: "export the file again")
        }
        position = headerStart + length
        return tracks
    }

    /// Reads all tracks, and returns their number. Chunks of other types are skipped, as the
    /// standard requires.
    private mutating func readTracks(stated: Int) throws(FormatError) -> Int {
        var found = 0
        while position < end {
            let start = position
            if hasType("MTrk", at: start) {
                position += 4
                let length = Int(clamping: try number(4))
                try readTrack(from: start, length: length)
                found += 1
            } else if let next = endOfForeignChunk() {
                position = next
            } else if found < stated {
                throw error("expected a track (MTrk)", at: start, advice: "export the file again")
            } else {
                report(.notPlayed, at: start, "bytes after the last track are ignored")
                break
            }
        }
        return found
    }

    /// Returns the end of the chunk at the current position; nil if the bytes are not a chunk.
    private func endOfForeignChunk() -> Int? {
        let head = bytes[position..<end].prefix(8)
        guard head.count == 8, head.prefix(4).allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return nil
        }
        let length = Int(clamping: head.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        return length <= end - position - 8 ? position + 8 + length : nil
    }

    /// Reads the events of a track. A last track that is longer than the file is accepted if it
    /// contains an end event.
    private mutating func readTrack(from start: Int, length: Int) throws(FormatError) {
        let trackEnd = position + min(length, end - position)
        let isCut = length > end - position
        var track = MIDITrack()
        while position < trackEnd, !track.isOver {
            track.tick += Int64(try variableNumber())
            try readEvent(&track, until: trackEnd)
        }
        if isCut {
            let message = "the track is longer than the file"
            guard track.isOver else {
                throw error(message, at: start, advice: "export the file again")
            }
            report(.degraded, at: start, message)
        }
        for channel in track.sounding.indices { release(channel, in: &track, isHeld: true) }
        position = trackEnd
    }

    // MARK: Events

    private mutating func readEvent(_ track: inout MIDITrack, until end: Int) throws(FormatError) {
        let start = position
        var status = try byte()
        if status < 0x80 {
            guard track.status >= 0x80 else {
                throw error(
                    "a data byte has no status byte", at: start, advice: "export the file again")
            }
            if track.isInterrupted {
                let message = "the running status continues after a meta or system message"
                report(.degraded, at: start, message)
            }
            position -= 1
            status = track.status
        }
        switch status {
        case 0xFF: try readMeta(&track)
        case 0xF0, 0xF7: try skip(try variableNumber())
        case 0xF1...0xFE: try skipSystemMessage(status, at: start)
        default:
            track.status = status
            try readChannelMessage(status, &track, at: start)
        }
        // Real-time messages do not affect the running status; according to the standard, all other
        // messages without a channel end the running status.
        if !(0xF8...0xFE).contains(status) { track.isInterrupted = status >= 0xF0 }
        guard position <= end else {
            throw error(
                "an event is longer than its track", at: start, advice: "export the file again")
        }
    }

    private mutating func readMeta(_ track: inout MIDITrack) throws(FormatError) {
        let type = try byte()
        let length = try variableNumber()
        if type == 0x51, length == 3 {
            tempos.append((track.tick, Double(try number(3))))
        } else {
            try skip(length)
        }
        track.isOver = type == 0x2F
    }

    /// Skips a system common or real-time message, which a file must not contain.
    private mutating func skipSystemMessage(_ status: UInt8, at start: Int) throws(FormatError) {
        let name = String(status, radix: 16, uppercase: true)
        guard status != 0xF4, status != 0xF5 else {
            throw error(
                "the status byte \(name) is undefined", at: start, advice: "export the file again")
        }
        try skip(status == 0xF2 ? 2 : status == 0xF1 || status == 0xF3 ? 1 : 0)
        report(.notPlayed, at: start, "the system message \(name) is skipped")
    }

    private mutating func readChannelMessage(
        _ status: UInt8, _ track: inout MIDITrack, at start: Int
    ) throws(FormatError) {
        let kind = status >> 4
        let channel = Int(status & 0xF)
        let first = try byte()
        let second = kind == 0xC || kind == 0xD ? 0 : try byte()
        guard first < 0x80, second < 0x80 else {
            throw error("a data byte exceeds 127", at: start, advice: "export the file again")
        }
        switch kind {
        case 0x9 where second > 0:
            guard notes.count < FormatLimits.points else {
                throw error(
                    "the file has more than \(FormatLimits.points) notes", at: start,
                    advice: "split the file into several")
            }
            track.sounding[channel][first, default: []].append(notes.count)
            notes.append(
                MIDINote(
                    start: track.tick, end: track.tick, channel: status & 0xF, key: first,
                    velocity: second, byte: start))
        case 0x8, 0x9:
            if let note = track.sounding[channel][first]?.popFirst() {
                notes[note].end = track.tick
            }
        case 0xB where first == 120 || first >= 123:
            // All Sound Off, All Notes Off, and the mode messages, which imply All Notes Off.
            release(channel, in: &track, isHeld: false)
        case 0xA, 0xD, 0xE: recordControllers(at: start)
        default: break
        }
    }

    /// Ends all notes that are sounding on a channel.
    private mutating func release(_ channel: Int, in track: inout MIDITrack, isHeld: Bool) {
        for note in track.sounding[channel].values.joined() {
            notes[note].end = track.tick
            notes[note].isHeld = isHeld
        }
        track.sounding[channel] = [:]
    }

    private mutating func recordControllers(at start: Int) {
        let message = "pitch bends and key pressures are not played"
        guard !losses.contains(where: { $0.message == message }) else { return }
        losses.append(FormatLoss(.notPlayed, at: .byte(start), message))
    }

    /// Converts the notes of all tracks to events.
    private mutating func events() throws(FormatError) -> [HapticEvent] {
        let clock =
            if let ticksPerQuarter {
                MIDIClock(ticksPerQuarter: ticksPerQuarter, tempos: tempos)
            } else {
                MIDIClock(tickLength: tickLength)
            }
        notes.sort { $0.start < $1.start }
        var events: [HapticEvent] = []
        for note in notes {
            let event = try note.event(clock)
            // The end of a percussion note has no effect, because the note becomes a tap.
            if note.isHeld, !note.isPercussion {
                report(
                    .degraded, at: note.byte, event: events.count, time: event.time,
                    "the note is never released and is held to the end of its track")
            }
            events.append(event)
        }
        return events
    }
}

/// The state of the reader within a track.
private struct MIDITrack {
    var tick: Int64 = 0
    /// The running status: the status byte of the last channel message; 0 before the first channel
    /// message.
    var status: UInt8 = 0
    /// True if, according to the standard, a message has ended the running status.
    var isInterrupted = false
    var isOver = false
    /// The indexes of the notes that are sounding, for each channel and key. The note that started
    /// first ends first, so that notes of the same key may overlap.
    var sounding = [[UInt8: ArraySlice<Int>]](repeating: [:], count: 16)
}
