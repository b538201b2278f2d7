// PlayedVoices: the players of an engine with their recent output. The type performs no I/O and has
// no clock.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The voices of an engine, which advance by host time and store their recent output.
package typealias PlayedVoices = TimedVoices<PlayedVoice>

extension TimedVoices<PlayedVoice> {
    /// Returns the combined output of all players. The output is silent at times further in the
    /// past than ``PlayedVoice/memory``.
    package func output(at time: HostTime) -> HapticOutput {
        let voices = played(until: time).voicesInOrder
        return HapticOutput(
            voices.flatMap(\.taps), voices.flatMap(\.pieces), at: time.microseconds)
    }

    /// Returns the output of a player; nil if the player is not playing.
    package func output(of player: PlayerID, at time: HostTime) -> HapticOutput? {
        guard let player = played(until: time).players[player], player.voice.isPlaying(at: time)
        else { return nil }
        return HapticOutput(player.taps, player.pieces, at: time.microseconds)
    }

    /// Returns everything that plays in an interval, mixed, in host time.
    package func span(from start: HostTime, to end: HostTime) -> MixedSpan {
        let voices = played(until: end).voicesInOrder
        let window = start.microseconds..<end.microseconds
        let taps = voices.flatMap(\.taps).filter { window.contains($0.time) }
        return MixedSpan(
            taps: taps.sorted { $0.time < $1.time },
            pieces: Mixer(policy: .loudest).mix(voices.flatMap(\.pieces), in: window))
    }

    /// Advances to the end of an interval, and returns everything that plays in the interval, in
    /// host time.
    package mutating func play(
        from start: HostTime, to end: HostTime
    ) -> (taps: [VoiceTap], pieces: [LayerPiece]) {
        advance(to: end)
        let voices = voicesInOrder
        let window = start.microseconds..<end.microseconds
        let taps = voices.flatMap(\.taps).filter { window.contains($0.time) }
        return (taps, voices.flatMap(\.pieces).filter { $0.end > window.lowerBound })
    }

    /// Returns whether a player plays at a time.
    package func isPlaying(at time: HostTime) -> Bool {
        voicesInOrder.contains { $0.voice.isPlaying(at: time) }
    }

    /// The voices that play or have stored output, in the order in which they were created.
    private var voicesInOrder: [PlayedVoice] { active.sorted().compactMap { players[$0] } }

    /// Returns a copy that contains only the active voices and has advanced to the given time.
    private func played(until time: HostTime) -> Self {
        var voices = withoutIdle
        voices.advance(to: time)
        // Unlike `advance`, `play` leaves the commands for later times in the queue.
        voices.play(to: time + 1)
        return voices
    }
}
