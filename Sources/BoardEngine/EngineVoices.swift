// EngineVoices: the players of one engine as a voice of the compiler, and the limit of what they may play at once.

import HapticCompiler
import HapticPatterns

/// The players of an engine, of which each window renders no more than a board's thread has time for: other
/// engines share it.
struct EngineVoices: Voice {
    /// The number of the engine.
    let engine: UInt32
    private var players: [PlayerVoice]
    private var position: Microseconds = 0
    /// The players, taps, pieces and passes that were rendered in the last window.
    private(set) var rendered = 0
    /// True if the players had more than they may in a window, which then lacks some of it.
    private(set) var isTooDense = false

    /// The greatest number of players that play or are paused, of their taps, of stretches of their continuous events,
    /// of control points and of passes of loops, within ``PatternVoice/densityTime``.
    static let densityMax = 500

    init(_ players: [PlayerVoice], of engine: UInt32) {
        self.players = players
        self.engine = engine
    }

    var end: Microseconds? { players.lazy.map(\.end).latestEnd }

    mutating func render(until time: Microseconds) -> VoiceSpan {
        let parts = (time - position + PatternVoice.densityTime - 1) / PatternVoice.densityTime
        let most = Self.densityMax * Int(parts)
        position = time
        rendered = 0
        var span = VoiceSpan()
        for index in players.indices {
            let part = players[index].render(until: time)
            rendered += players[index].rendered
            if rendered > most {
                isTooDense = true
                break
            }
            span.taps += part.taps
            span.pieces += part.pieces
        }
        return span
    }
}
