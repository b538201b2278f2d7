// FlashBoard: the boards that can be flashed, and their parameters for avrdude. Data only.

import ArgumentParser
import VirtualBoard

/// A board that can be flashed, identified by its boot loader.
enum FlashBoard: String, ExpressibleByArgument, CaseIterable {
    case uno
    case nano
    /// A Nano with a boot loader from before 2018.
    case nanoOld = "nano-old"

    /// The baud rate of the boot loader.
    var baud: Int { self == .nanoOld ? 57_600 : 115_200 }

    /// The name of the board's chip in avrdude.
    var part: String { "m328p" }

    /// The bytes of flash memory below the boot loader.
    var capacity: Int { self == .nanoOld ? 0x7800 : 0x7E00 }

    /// The version of the firmware that comes with this program, major × 256 + minor. Its core is
    /// the one that the virtual board runs.
    static let firmwareVersion = InProcessBoard.firmwareVersion

    /// Advice on which other board this may be if its boot loader does not answer.
    var resemblance: String {
        switch self {
        case .uno: "if it is a Nano or a clone of an Uno, try --board nano or --board nano-old"
        case .nano: "Nanos with the old boot loader need --board nano-old"
        case .nanoOld: "Nanos with the new boot loader need --board nano"
        }
    }
}
