// KnownBoard+Argument: boards as values of command-line options.

import ArgumentParser
import HapticBridge
import VirtualBoard

extension KnownBoard: ExpressibleByArgument {
    /// Returns the board with the given name for `bridge flash --board`; nil if no board has the
    /// name.
    public init?(argument: String) {
        guard let board = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = board
    }

    /// The names of all boards.
    public static var allValueStrings: [String] { all.map(\.name) }

    /// The version of the firmware that is built into this program, as major × 256 + minor. The
    /// virtual board runs the same firmware core.
    package static let firmwareVersion = InProcessBoard.firmwareVersion
}
