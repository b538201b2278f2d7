// PlayerID: the identity of a player.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The identity of a player on its board.
package struct PlayerID: Hashable, Sendable {
    /// The number of the player's engine on the board (``EngineMailbox/number``); 0 if only one
    /// engine is involved.
    package var engine: UInt32 = 0
    /// The number of the player within its engine.
    package var number: UInt64

    package init(engine: UInt32 = 0, number: UInt64) {
        (self.engine, self.number) = (engine, number)
    }
}

extension PlayerID: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.engine, left.number) < (right.engine, right.number)
    }
}
