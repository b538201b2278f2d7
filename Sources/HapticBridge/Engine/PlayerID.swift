// PlayerID: the number of a player.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The identity of a player on its board.
struct PlayerID: Hashable, Sendable {
    /// The number of the player's engine on the board (``EngineMailbox/number``); 0 where only one
    /// engine is concerned.
    var engine: UInt32 = 0
    /// The number of the player within its engine.
    var number: UInt64
}

extension PlayerID: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        (left.engine, left.number) < (right.engine, right.number)
    }
}
