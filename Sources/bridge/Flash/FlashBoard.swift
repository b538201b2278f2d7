// FlashBoard: the boards that can be flashed, and what avrdude must know of them. Data only.

import ArgumentParser
import VirtualBoard

/// A board by its boot loader.
enum FlashBoard: String, ExpressibleByArgument, CaseIterable {
    case uno
    case nano
    /// Nanos with the boot loader of before 2018.
    case nanoOld = "nano-old"

    /// The rate of its boot loader.
    var baud: Int { self == .nanoOld ? 57_600 : 115_200 }

    /// avrdude's name of its chip.
    var part: String { "m328p" }

    /// Bytes of flash below the boot loader.
    var capacity: Int { self == .nanoOld ? 0x7800 : 0x7E00 }

    /// The version of the firmware that this program brings along, major × 256 + minor: it has the core that the virtual board runs.
    static let firmwareVersion = InProcessBoard.firmwareVersion

    /// What else the board may be if its boot loader does not answer.
    var resemblance: String {
        switch self {
        case .uno: "if it is a Nano or a clone of an Uno, try --board nano or --board nano-old"
        case .nano: "Nanos with the old boot loader need --board nano-old"
        case .nanoOld: "Nanos with the new boot loader need --board nano"
        }
    }
}
