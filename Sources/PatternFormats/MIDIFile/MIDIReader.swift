// MIDIReader: converts the bytes of a Standard MIDI File to notes with times in microseconds.

import HapticPatterns

/// Reads Standard MIDI Files.
struct MIDIReader {
    private let bytes: [UInt8]
    private var position = 0
    private(set) var losses: [FormatLoss] = []
    /// The number of ticks per quarter note; nil if the file specifies ticks per second.
    private var ticksPerQuarter: Double?
    /// The duration of a tick in microseconds, if the file specifies ticks per second.
    private var tickLength = 1_000.0
    private var tempos: [(tick: Int64, microseconds: Double)] = []
    private var events: [MIDIEvent] = []

    /// The default duration of a quarter note in microseconds, at a tempo of 120 quarter notes per
    /// minute.
    private static let tempo = 500_000.0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() throws(FormatError) -> [MIDINote] {
        let tracks = try readHeader()
        for _ in 0..<tracks where position < bytes.count { try readTrack() }
        if position < bytes.count {
            losses.append(FormatLoss(.notPlayed, "bytes after the last track are ignored"))
        }
        return try notes()
    }

    private func error(_ message: String, at offset: Int? = nil, advice: String) -> FormatError {
        FormatError(at: .byte(offset ?? position), message, advice: advice)
    }

    // MARK: Bytes

    private mutating func byte() throws(FormatError) -> UInt8 {
        guard position < bytes.count else {
            throw error("the file is incomplete", advice: "export it again")
        }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func number(_ count: Int) throws(FormatError) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 8 | Int(try byte()) }
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
        throw error("a number has more than four bytes", at: start, advice: "export it again")
    }

    // MARK: Chunks

    private mutating func readHeader() throws(FormatError) -> Int {
        guard bytes.starts(with: MIDIFormat.magic) else {
            throw error("expected MThd", advice: "give a Standard MIDI File")
        }
        position = 4
        let end = try number(4) + 8
        let format = try number(2)
        guard format <= 1 else {
            throw error(
                "format \(format) is not supported", at: 8, advice: "export it as format 0 or 1")
        }
        let tracks = try number(2)
        let division = try number(2)
        if division & 0x8000 == 0 {
            guard division > 0 else {
                throw error("a quarter note has 0 ticks", at: 12, advice: "export the file again")
            }
            ticksPerQuarter = Double(division)
        } else {
            let frames = 256 - division >> 8
            let ticks = division & 0xFF
            guard frames > 0, ticks > 0 else {
                throw error("a second has 0 ticks", at: 12, advice: "export the file again")
            }
            tickLength = 1e6 / Double(frames * ticks)
        }
        guard end >= position, end <= bytes.count else {
            throw error("the header is longer than the file", at: 4, advice: "export it again")
        }
        position = end
        return tracks
    }

    private mutating func readTrack() throws(FormatError) {
        let start = position
        let magic = try number(4)
        let length = try number(4)
        guard length <= bytes.count - position else {
            throw error("the chunk is longer than the file", at: start, advice: "export it again")
        }
        let end = position + length
        guard magic == 0x4D54_726B else {
            // The standard requires readers to skip chunks of other types.
            position = end
            return
        }
        var track = MIDITrack()
        while position < end, !track.isOver {
            track.tick += Int64(try variableNumber())
            try readEvent(&track, until: end)
        }
        position = end
    }

    private mutating func readEvent(_ track: inout MIDITrack, until end: Int) throws(FormatError) {
        let start = position
        var status = try byte()
        if status < 0x80 {
            guard track.status >= 0x80 else {
                throw error("a data byte has no status byte", at: start, advice: "export it again")
            }
            position -= 1
            status = track.status
        }
        switch status {
        case 0xFF: try readMeta(&track)
        case 0xF0, 0xF7: try skip(try variableNumber())
        case 0xF1...0xFE:
            throw error(
                "a file cannot contain system messages", at: start, advice: "export it again")
        default:
            track.status = status
            try readChannelMessage(status, tick: track.tick, at: start)
        }
        guard position <= end else {
            throw error("an event is longer than its track", at: start, advice: "export it again")
        }
    }

    private mutating func skip(_ count: Int) throws(FormatError) {
        guard count <= bytes.count - position else {
            throw error("an event is longer than the file", advice: "export it again")
        }
        position += count
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
        track.status = 0
    }

    private mutating func readChannelMessage(
        _ status: UInt8, tick: Int64, at start: Int
    ) throws(FormatError) {
        let kind = status >> 4
        let first = try byte()
        let second = kind == 0xC || kind == 0xD ? 0 : try byte()
        guard first < 0x80, second < 0x80 else {
            throw error("a data byte exceeds 127", at: start, advice: "export the file again")
        }
        guard kind == 0x8 || kind == 0x9 else {
            if kind == 0xE || kind == 0xA || kind == 0xD { recordControllers() }
            return
        }
        guard events.count < 2 * FormatLimits.points else {
            throw error(
                "the file has more than \(FormatLimits.points) notes", at: start,
                advice: "split the file")
        }
        events.append(
            MIDIEvent(
                tick: tick, channel: status & 0xF, key: first, velocity: kind == 0x8 ? 0 : second))
    }

    private mutating func recordControllers() {
        let message = "pitch bends and key pressures are not played"
        guard !losses.contains(where: { $0.message == message }) else { return }
        losses.append(FormatLoss(.notPlayed, message))
    }
}

/// The state of the reader within a track.
private struct MIDITrack {
    var tick: Int64 = 0
    var status: UInt8 = 0
    var isOver = false
}

/// The start of a note, or its end if the velocity is 0.
private struct MIDIEvent {
    var tick: Int64
    var channel: UInt8
    var key: UInt8
    var velocity: UInt8
}

extension MIDIReader {
    /// Pairs the starts and ends of notes. If a note starts again before it has ended, the second
    /// start ends the first note.
    private func notes() throws(FormatError) -> [MIDINote] {
        var clock = MIDIClock(
            ticksPerQuarter: ticksPerQuarter, tickLength: tickLength,
            tempos: tempos.sorted { $0.tick < $1.tick }, tempo: Self.tempo)
        var sounding: [Int: Int] = [:]
        var notes: [MIDINote] = []
        for event in events.sorted(by: { $0.tick < $1.tick }) {
            let time = clock.time(at: event.tick)
            guard time <= FormatLimits.latest else {
                throw FormatError(
                    at: nil as FormatError.Location?, "the file is longer than a day",
                    advice: "shorten it")
            }
            let voice = Int(event.channel) << 8 | Int(event.key)
            if let index = sounding.removeValue(forKey: voice) { notes[index].end = time }
            guard event.velocity > 0 else { continue }
            sounding[voice] = notes.count
            // The tenth channel is percussion (General MIDI).
            notes.append(
                MIDINote(
                    start: time, end: time, key: event.key, velocity: event.velocity,
                    isPercussion: event.channel == 9))
        }
        return notes
    }
}

/// Converts ticks in ascending order to microseconds.
private struct MIDIClock {
    var ticksPerQuarter: Double?
    var tickLength: Double
    var tempos: [(tick: Int64, microseconds: Double)]
    var tempo: Double
    private var next = 0
    private var tick: Int64 = 0
    private var time = 0.0

    init(
        ticksPerQuarter: Double?, tickLength: Double,
        tempos: [(tick: Int64, microseconds: Double)], tempo: Double
    ) {
        self.ticksPerQuarter = ticksPerQuarter
        self.tickLength = tickLength
        self.tempos = tempos
        self.tempo = tempo
    }

    /// Returns the time of a tick. The tick must not be less than the tick of the previous call.
    mutating func time(at tick: Int64) -> Microseconds {
        while next < tempos.count, tempos[next].tick <= tick {
            advance(to: tempos[next].tick)
            tempo = tempos[next].microseconds
            next += 1
        }
        advance(to: tick)
        return Microseconds(time.rounded())
    }

    private mutating func advance(to tick: Int64) {
        let length = ticksPerQuarter.map { tempo / $0 } ?? tickLength
        time += Double(tick - self.tick) * length
        self.tick = tick
    }
}
