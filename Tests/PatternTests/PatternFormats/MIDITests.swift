// Tests that the reader reads MIDI files with faults that other readers accept, and that it reports
// each correction with the position of the byte.

import Foundation
import HapticPatterns
import PatternFormats
import TestSupport
import Testing

@Suite struct MIDITests {
    /// A note in the notation of the expected results, with its start and end in milliseconds. A
    /// tap has no end.
    private struct Note: Equatable, CustomStringConvertible {
        let from: Int64
        let to: Int64?
        let key: Int
        let velocity: Int

        init(_ from: Int64, _ to: Int64?, key: Int, velocity: Int = 100) {
            (self.from, self.to, self.key, self.velocity) = (from, to, key, velocity)
        }

        init(_ event: HapticEvent) {
            from = event.time / 1_000
            to = event.length.map { (event.time + $0) / 1_000 }
            key = Int((event.sharpness * 60 + 36).rounded())
            velocity = Int((event.intensity * 127).rounded())
        }

        var description: String { "\(from)-\(to.map { "\($0)" } ?? "tap") \(key) \(velocity)" }
    }

    /// Checks the notes and the losses of a file. The text of a loss consists of its byte, its
    /// verdict and its message.
    private func expect(
        _ bytes: [UInt8], _ notes: [Note], losses: [String] = [],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        #expect(PatternFormats.format(of: bytes).name == "midi", sourceLocation: sourceLocation)
        let read = try PatternFormats.read(bytes)
        #expect(read.pattern.events.map(Note.init) == notes, sourceLocation: sourceLocation)
        let found = read.losses.map { loss in
            let byte = loss.location?.byteOffset.map(String.init) ?? "-"
            return "\(byte) \(loss.verdict.rawValue): \(loss.message)"
        }
        #expect(found == losses, sourceLocation: sourceLocation)
    }

    // MARK: Parts of files

    private static let over: [UInt8] = [0, 0xFF, 0x2F, 0]
    private static let held = "the note is never released and is held to the end of its track"
    private static let running = "the running status continues after a meta or system message"

    private func chunk(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
        let length = UInt32(bytes.count)
        return Array(type.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) }
            + bytes
    }

    /// Returns a header with 100 ticks per quarter note, so that a tick lasts 5 ms.
    private func header(tracks: UInt16 = 1, format: UInt8 = 1) -> [UInt8] {
        chunk("MThd", [0, format, UInt8(tracks >> 8), UInt8(tracks & 0xFF), 0, 100])
    }

    /// Returns a track. The events of the track begin at byte 22 if the file has a header of 14
    /// bytes before the track.
    private func track(_ events: [UInt8], isOver: Bool = true) -> [UInt8] {
        chunk("MTrk", events + (isOver ? Self.over : []))
    }

    /// Returns a file with one track.
    private func file(_ events: [UInt8]) -> [UInt8] { header() + track(events) }

    /// Returns the bytes of a RIFF chunk with its padding.
    private func riff(_ type: String, _ bytes: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = UInt32(length ?? bytes.count)
        return Array(type.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            + bytes + (bytes.count % 2 == 1 ? [0] : [])
    }

    /// A note of 500 ms.
    private let note: [UInt8] = [0, 0x90, 60, 100, 100, 0x80, 60, 0]

    // MARK: Files of other programs

    /// Small files with the faults of other programs, and the notes that other readers find in the
    /// files.
    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: Self.cases.path),
            "the folder of cases is missing: set HAPTIC_BRIDGE_SHARED"),
        arguments: [
            ("chunk.mid", [Note(0, 500, key: 60), Note(500, 1_000, key: 62)], []),
            (
                "meta-running.mid",
                [Note(0, 500, key: 60), Note(1_000, 1_500, key: 64, velocity: 90)],
                ["38 degraded: \(running)"]
            ),
            (
                "overlap.mid",
                [Note(0, 500, key: 60), Note(250, 750, key: 60, velocity: 120)], []
            ),
            (
                "realtime.mid", [Note(0, 500, key: 60)],
                ["28 not played: the system message F8 is skipped"]
            ),
            ("rmid.rmi", [Note(0, 500, key: 60), Note(500, 1_000, key: 62)], []),
            (
                "stuck.mid", [Note(0, 1_500, key: 60), Note(1_000, 1_500, key: 64)],
                ["23 degraded: \(held)"]
            ),
            (
                "too-few.mid",
                [
                    Note(0, 500, key: 60), Note(500, 1_000, key: 62), Note(1_000, 1_500, key: 67),
                ], ["10 degraded: the header states a track count of 1, but 2 were found"]
            ),
            (
                "zero.mid", [Note(0, 500, key: 60), Note(500, 1_000, key: 62)],
                ["10 degraded: the header states a track count of 0, but 1 were found"]
            ),
        ] as [(String, [Note], [String])])
    private func readsAFileAsOtherReadersDo(
        name: String, notes: [Note], losses: [String]
    ) throws {
        let data = try Data(contentsOf: Self.cases.appendingPathComponent(name))
        try expect([UInt8](data), notes, losses: losses)
    }

    private static let cases = SharedFiles.folder.appendingPathComponent("cases/midi")

    // MARK: Chunks

    @Test func skipsChunksOfOtherTypesAnywhere() throws {
        let foreign = chunk("XFIH", [1, 2, 3])
        let file = header(tracks: 2) + foreign + track(note) + foreign + track(note) + foreign
        try expect(file, [Note(0, 500, key: 60), Note(0, 500, key: 60)])
    }

    @Test(arguments: [0, 2, 65_535] as [UInt16]) func readsAllTracksWhateverTheHeaderStates(
        count: UInt16
    ) throws {
        try expect(
            header(tracks: count) + track(note), [Note(0, 500, key: 60)],
            losses: [
                "10 degraded: the header states a track count of \(count), but 1 were found"
            ])
    }

    @Test(arguments: [[0x0A], [0, 0, 0, 0, 0, 0, 0, 0, 0], Array("Copyright 1998".utf8)])
    func ignoresBytesAfterTheLastTrack(junk: [UInt8]) throws {
        let bytes = file(note)
        try expect(
            bytes + junk, [Note(0, 500, key: 60)],
            losses: ["\(bytes.count) not played: bytes after the last track are ignored"])
    }

    @Test func refusesBytesThatAreNoTrackWhereATrackIsStated() {
        #expect(
            refusal(of: header(tracks: 2) + track(note) + [1, 2, 3])
                == "byte 34: error: expected a track (MTrk)")
    }

    @Test func acceptsATrackThatIsLongerThanTheFileOnlyIfItHasAnEnd() throws {
        var bytes = file(note)
        bytes[21] += 9
        try expect(
            bytes, [Note(0, 500, key: 60)],
            losses: ["14 degraded: the track is longer than the file"])
        let cut = Array(bytes.dropLast(Self.over.count))
        #expect(refusal(of: cut) == "byte 14: error: the track is longer than the file")
        #expect(refusal(of: cut.dropLast()) == "byte 29: error: the file is incomplete")
    }

    @Test func readsATrackWithoutAnEnd() throws {
        try expect(header() + track(note, isOver: false), [Note(0, 500, key: 60)])
    }

    @Test func readsMIDIInRIFFBehindAChunkWithPadding() throws {
        let content = riff("LIST", [1, 2, 3]) + riff("data", file(note)) + riff("DLS ", [1])
        let bytes = riff("RIFF", Array("RMID".utf8) + content)
        try expect(bytes, [Note(0, 500, key: 60)])
    }

    @Test func reportsTheByteOfAFileInRIFF() throws {
        let data = riff("data", file([0, 0xF8] + note), length: 999)
        try expect(
            riff("RIFF", Array("RMID".utf8) + data), [Note(0, 500, key: 60)],
            losses: [
                "12 degraded: the data chunk is longer than the file",
                "43 not played: the system message F8 is skipped",
            ])
    }

    @Test func refusesRIFFWithoutMIDI() {
        let empty = riff("RIFF", Array("RMID".utf8) + riff("LIST", [1]))
        #expect(refusal(of: empty) == "byte 12: error: the RIFF file has no data chunk")
        let other = riff("RIFF", Array("RMID".utf8) + riff("data", [1, 2, 3, 4]))
        #expect(refusal(of: other) == "byte 20: error: expected the header (MThd)")
        let silent = riff("RIFF", Array("RMID".utf8) + riff("data", file([])))
        #expect(
            refusal(of: silent) == "byte 0: error: the file contains no perceptible tap or level")
    }

    // MARK: Messages

    @Test func keepsTheRunningStatusAfterSysExAndMetaEvents() throws {
        let events: [UInt8] = [
            0, 0x90, 60, 100, 0, 0xF0, 2, 1, 0xF7, 100, 60, 0,
            0, 0xF7, 1, 0xF8, 0, 62, 100,
            0, 0xFF, 1, 0, 100, 62, 0, 100, 62, 50, 100, 62, 0,
        ]
        try expect(
            file(events),
            [
                Note(0, 500, key: 60), Note(500, 1_000, key: 62),
                Note(1_500, 2_000, key: 62, velocity: 50),
            ],
            losses: [32, 39, 46].map { "\($0) degraded: \(Self.running)" })
    }

    @Test func keepsTheRunningStatusAfterRealTimeMessages() throws {
        try expect(
            file([0, 0x90, 60, 100, 50, 0xF8, 0, 0xFE, 50, 60, 0]), [Note(0, 500, key: 60)],
            losses: [
                "27 not played: the system message F8 is skipped",
                "29 not played: the system message FE is skipped",
            ])
    }

    @Test func skipsSystemCommonMessagesWithTheirData() throws {
        let system: [UInt8] = [0, 0xF1, 5, 0, 0xF2, 5, 6, 0, 0xF3, 5, 0, 0xF6]
        try expect(
            file(system + note), [Note(0, 500, key: 60)],
            losses: [(23, "F1"), (26, "F2"), (30, "F3"), (33, "F6")].map {
                "\($0) not played: the system message \($1) is skipped"
            })
        #expect(
            refusal(of: file([0, 0xF4] + note))
                == "byte 23: error: the status byte F4 is undefined")
    }

    @Test func listsTenCasesOfAKind() throws {
        let beats = (0..<500).flatMap { _ in [0, 0xF8] as [UInt8] }
        let losses = try PatternFormats.read(file(beats + note)).losses
        let offsets: [Int?] = (0..<10).map { 23 + 2 * $0 } + [nil]
        #expect(losses.map(\.location?.byteOffset) == offsets)
        #expect(
            losses.last?.message
                == "further cases are not listed: the system message F8 is skipped")
    }

    // MARK: Notes

    @Test(arguments: [
        // At tick 100, the end of the first note comes before or after the start of the second
        // note. Notes end with a note-off event, or with velocity 0.
        [0, 0x90, 60, 100, 100, 0x80, 60, 0, 0, 0x90, 60, 90, 100, 0x80, 60, 0],
        [0, 0x90, 60, 100, 100, 0x90, 60, 90, 0, 0x80, 60, 0, 100, 0x80, 60, 0],
        [0, 0x90, 60, 100, 100, 60, 0, 0, 60, 90, 100, 60, 0],
        [0, 0x90, 60, 100, 100, 60, 90, 0, 60, 0, 100, 60, 0],
    ]) func readsNotesThatMeetInEitherOrder(events: [UInt8]) throws {
        try expect(
            file(events), [Note(0, 500, key: 60), Note(500, 1_000, key: 60, velocity: 90)])
    }

    @Test func endsOverlappingNotesOfAKeyInTheOrderOfTheirStarts() throws {
        let three: [UInt8] = [0, 0x90, 60, 100, 20, 60, 90, 20, 60, 80]
        try expect(
            file(three + [20, 60, 0, 20, 60, 0, 20, 60, 0]),
            [
                Note(0, 300, key: 60), Note(100, 400, key: 60, velocity: 90),
                Note(200, 500, key: 60, velocity: 80),
            ])
        // Events on another channel or with another key do not end the notes.
        try expect(
            file([0, 0x90, 60, 100, 20, 0x81, 60, 0, 0, 0x80, 61, 0, 20, 0x80, 60, 0]),
            [Note(0, 200, key: 60)])
    }

    @Test func makesATapOfANoteThatStartsAndEndsAtOneTick() throws {
        try expect(file([10, 0x90, 60, 100, 0, 0x80, 60, 0]), [Note(50, nil, key: 60)])
    }

    @Test func holdsANoteThatIsNeverReleasedToTheEndOfItsTrack() throws {
        let long = track([0, 0x90, 60, 100, 100, 0xFF, 1, 0])
        let short = track([0, 0x90, 62, 100, 50, 0xB0, 7, 1])
        try expect(
            header(tracks: 2) + long + short,
            [Note(0, 500, key: 60), Note(0, 250, key: 62)],
            losses: ["23 degraded: \(Self.held)", "43 degraded: \(Self.held)"])
        // The end of a note in another track does not end this note, even on the same channel.
        try expect(
            header(tracks: 2) + long + track([10] + note.dropFirst()),
            [Note(0, 500, key: 60), Note(50, 550, key: 60)], losses: ["23 degraded: \(Self.held)"])
    }

    @Test(arguments: [120, 123, 127] as [UInt8]) func endsNotesWithAllNotesOff(
        controller: UInt8
    ) throws {
        try expect(
            file([0, 0x90, 60, 100, 0, 62, 90, 100, 0xB0, controller, 0, 100, 0xFF, 1, 0]),
            [Note(0, 500, key: 60), Note(0, 500, key: 62, velocity: 90)])
    }

    @Test func reportsNoHeldPercussion() throws {
        try expect(file([0, 0x99, 60, 100, 100, 0xFF, 1, 0]), [Note(0, nil, key: 60)])
    }

    @Test func convertsTicksAcrossTempoChanges() throws {
        // A quarter note lasts 0.5 s at first, 1 s from tick 100 on, and 0.25 s from tick 200 on.
        let tempos: [UInt8] = [
            100, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40, 100, 0xFF, 0x51, 3, 0x03, 0xD0, 0x90,
        ]
        let events: [UInt8] = [50, 0x90, 60, 100, 100, 60, 0, 0, 62, 100, 100, 62, 0]
        try expect(
            header(tracks: 2) + track(events) + track(tempos),
            [Note(250, 1_000, key: 60), Note(1_000, 1_625, key: 62)])
    }

    // MARK: Hostile files

    /// Checks that the reader rejects a time that exceeds the range of integers. In the file, each
    /// of 5,000 events waits for the longest time at the slowest tempo.
    @Test func refusesATimeBeyondADay() {
        let wait = (0..<5_000).flatMap { _ in [0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 1, 0] as [UInt8] }
        let bytes =
            chunk("MThd", [0, 1, 0, 1, 0, 1])
            + track([0, 0xFF, 0x51, 3, 0xFF, 0xFF, 0xFF] + wait + note)
        #expect(
            refusal(of: bytes) == "byte 35030: error: the note ends more than a day after the start"
        )
    }

    @Test func endsManyOverlappingNotes() throws {
        let starts = (0..<100_000).flatMap { _ in [0, 60, 100] as [UInt8] }
        let ends = (0..<100_000).flatMap { _ in [0, 60, 0] as [UInt8] }
        let events: [UInt8] = [0, 0x90, 61, 0] + starts + [100, 61, 0] + ends
        let read = try PatternFormats.read(file(events))
        #expect(read.pattern.events.count == 100_000 && read.losses.isEmpty)
        #expect(read.pattern.events.allSatisfy { $0.length == 500_000 })
    }

    @Test func readsOrRefusesAFileThatIsCutOrDamagedAnywhere() {
        let system: [UInt8] = [0, 0xF0, 2, 1, 0xF7, 0, 0xF2, 1, 2, 0, 0xF8]
        let content =
            header(tracks: 2) + chunk("XFIH", [1, 2]) + track(note + system + [50, 62, 100])
            + track([0, 0xFF, 0x51, 3, 1, 2, 3] + note)
        let bytes = riff("RIFF", Array("RMID".utf8) + riff("LIST", [1]) + riff("data", content))
        for file in [content, bytes] {
            for length in 12..<file.count {
                let refusal = refusal(of: Array(file.prefix(length)))
                #expect(refusal.isEmpty || refusal.hasPrefix("byte "), "\(length): \(refusal)")
            }
            for index in file.indices {
                for value in [0, 1, 0x7F, 0x80, 0x90, 0xF0, 0xF2, 0xFF] as [UInt8] {
                    var damaged = file
                    damaged[index] = value
                    _ = refusal(of: damaged)
                }
            }
        }
        #expect(refusal(of: Array(bytes.prefix(40))) == "byte 40: error: the file is incomplete")
    }
}
