// PlayedVoice: a player's voice with its recent output.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// A voice that advances by host time and stores its recent output.
package struct PlayedVoice: TimedVoice {
    package private(set) var voice: PlayerVoice
    /// The recent taps, in order of time. Times are host times.
    private(set) var taps: [VoiceTap] = []
    /// The recent pieces of layers.
    private(set) var pieces: [LayerPiece] = []
    /// The time to which the voice has advanced.
    private var time: HostTime

    /// The time for which output is stored, in microseconds.
    static let memory: Microseconds = 200_000

    package init(_ voice: PlayerVoice, at now: HostTime) {
        self.voice = voice
        time = now
        self.voice.origin = 0
        self.voice.advance(to: now)
    }

    package mutating func play(to now: HostTime) {
        let oldest = now - Self.memory
        taps.removeAll { $0.time < oldest.microseconds }
        pieces.removeAll { $0.end <= oldest.microseconds }
        voice.advance(to: oldest)
        let played = max(time, oldest).microseconds..<now.microseconds
        let span = voice.render(until: played.upperBound)
        taps += span.taps
        // Output after the current time is not stored, because it may still change.
        pieces += span.pieces.compactMap { piece in
            var piece = piece
            piece.start = max(piece.start, played.lowerBound)
            piece.end = min(piece.end, played.upperBound)
            return piece.start < piece.end ? piece : nil
        }
        time = now
    }

    package var isQuiet: Bool { taps.isEmpty && pieces.isEmpty }

    package mutating func carryOut(_ command: PlayerCommand) { voice.carryOut(command, at: time) }
}
