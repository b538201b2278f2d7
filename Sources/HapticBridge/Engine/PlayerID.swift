// PlayerID: the number of a player.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The identity of a player within its engine.
struct PlayerID: Hashable, Sendable {
    var number: UInt64
}
