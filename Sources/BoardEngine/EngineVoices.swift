// EngineVoices: the players of one engine as a voice of the compiler, with a limit on their
// density.

import HapticCompiler
import HapticPatterns

/// The players of an engine. Because all engines of a board share its thread, the number of items
/// that are rendered per ``PatternVoice/densityTime`` is limited to the number that the thread can
/// render in time.
struct EngineVoices: Voice {
    /// The number of the engine.
    let engine: UInt32
    private var players: [PlayerVoice]
    private var position: Microseconds = 0
    /// The number of players, taps, pieces and passes in the interval that was rendered last.
    private(set) var rendered = 0
    /// True if the players exceeded the limit in a rendered interval. The content of that interval
    /// is incomplete.
    private(set) var isTooDense = false

    /// The maximum total number of items within ``PatternVoice/densityTime``: players that play or
    /// are paused, their taps, the segments of their continuous events, their control points, and
    /// passes of loops.
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
