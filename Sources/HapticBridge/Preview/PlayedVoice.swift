// PlayedVoice: a player's voice, and what it has played in the last moments.

import BoardEngine
import BridgeLink
import HapticCompiler
import HapticPatterns

/// A voice that plays by host time and remembers what it has played.
struct PlayedVoice: TimedVoice {
    private(set) var voice: PlayerVoice
    /// The taps of the last moments, in order of time. Times are the host's.
    private(set) var taps: [VoiceTap] = []
    /// The pieces of the last moments.
    private(set) var pieces: [LayerPiece] = []
    /// The time up to which the voice has played.
    private var time: HostTime

    /// The time for which it is remembered what was played, in microseconds.
    static let memory: Microseconds = 200_000

    init(_ voice: PlayerVoice, at now: HostTime) {
        self.voice = voice
        time = now
        self.voice.origin = 0
        self.voice.advance(to: now)
    }

    mutating func play(to now: HostTime) {
        let oldest = now - Self.memory
        taps.removeAll { $0.time < oldest.microseconds }
        pieces.removeAll { $0.end <= oldest.microseconds }
        voice.advance(to: oldest)
        let played = max(time, oldest).microseconds..<now.microseconds
        let span = voice.render(until: played.upperBound)
        taps += span.taps
        // What lies beyond the present may still be changed.
        pieces += span.pieces.compactMap { piece in
            var piece = piece
            piece.start = max(piece.start, played.lowerBound)
            piece.end = min(piece.end, played.upperBound)
            return piece.start < piece.end ? piece : nil
        }
        time = now
    }

    var isQuiet: Bool { taps.isEmpty && pieces.isEmpty }

    mutating func carryOut(_ command: PlayerCommand) { voice.carryOut(command, at: time) }
}
