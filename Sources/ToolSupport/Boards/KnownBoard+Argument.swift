// KnownBoard+Argument: the boards as values on the command line.

import ArgumentParser
import HapticBridge
import VirtualBoard

extension KnownBoard: ExpressibleByArgument {
    /// Returns the board with a name for `bridge flash --board`; nil if there is none.
    public init?(argument: String) {
        guard let board = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = board
    }

    /// The names of all boards.
    public static var allValueStrings: [String] { all.map(\.name) }

    /// The version of the firmware that comes with this program, major × 256 + minor. The virtual
    /// board runs the same firmware core.
    package static let firmwareVersion = InProcessBoard.firmwareVersion
}
