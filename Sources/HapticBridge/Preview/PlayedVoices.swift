// PlayedVoices: the players of an engine, which can be asked for their output. No I/O and no clock.

import BoardEngine
import BridgeLink
import HapticCompiler
import HapticPatterns

/// The voices of an engine by host time, with what they have played in the last moments.
typealias PlayedVoices = TimedVoices<PlayedVoice>

extension TimedVoices<PlayedVoice> {
    /// Returns the output of all players together. Times that lie longer ago than
    /// ``PlayedVoice/memory`` are silent.
    func output(at time: HostTime) -> HapticOutput {
        let voices = played(until: time).voicesInOrder
        return HapticOutput(
            voices.flatMap(\.taps), voices.flatMap(\.pieces), at: time.microseconds)
    }

    /// Returns the output of a player; nil if it is not playing.
    func output(of player: PlayerID, at time: HostTime) -> HapticOutput? {
        guard let player = played(until: time).players[player], player.voice.isPlaying(at: time)
        else { return nil }
        return HapticOutput(player.taps, player.pieces, at: time.microseconds)
    }

    /// Returns everything that plays from a time to another, mixed, in host time.
    func span(from start: HostTime, to end: HostTime) -> MixedSpan {
        let voices = played(until: end).voicesInOrder
        let window = start.microseconds..<end.microseconds
        let taps = voices.flatMap(\.taps).filter { window.contains($0.time) }
        return MixedSpan(
            taps: taps.sorted { $0.time < $1.time },
            pieces: Mixer(policy: .loudest).mix(voices.flatMap(\.pieces), in: window))
    }

    /// The voices of which something plays or is remembered, in the order in which they were made.
    private var voicesInOrder: [PlayedVoice] { active.sorted().compactMap { players[$0] } }

    /// Returns these voices when they have played the given time, too. Only those that play are
    /// copied.
    private func played(until time: HostTime) -> Self {
        var voices = withoutIdle
        voices.advance(to: time)
        // What is commanded for a later moment does not count.
        voices.play(to: time + 1)
        return voices
    }
}
