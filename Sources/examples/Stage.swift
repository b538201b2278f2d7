// Stage: a line of the terminal that moves.

import Foundation

enum Stage {
    /// The time between two pictures, in seconds.
    static let step = 0.01

    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Draws a picture over the last one. Without a terminal there is nothing to see.
    static func draw(_ picture: String) {
        guard isTerminal else { return }
        write("\r" + picture + "\u{1b}[K")
    }

    /// Prints what happens, where there are no pictures.
    static func note(_ text: String) {
        guard !isTerminal else { return }
        write(text + "\n")
    }

    private static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
