// Keys: reads key presses from the terminal without waiting for Enter.

import Foundation

enum Keys {
    /// The settings of the terminal when the program started; nil if standard input is not a
    /// terminal.
    private static let saved: termios? = {
        var modes = termios()
        return tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil
    }()

    /// Changes the settings of the terminal until the program ends, so that the terminal delivers
    /// each key without waiting for Enter and without an echo.
    static func begin() {
        guard var modes = saved else { return }
        atexit { Keys.end() }
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
    }

    private static func end() {
        guard var modes = saved else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
    }

    /// Waits for a key. Returns nil if the key is q, Ctrl-C or Ctrl-D, or if the input has ended.
    static func next() -> Character? {
        var byte: UInt8 = 0
        guard read(STDIN_FILENO, &byte, 1) == 1, ![3, 4, UInt8(ascii: "q")].contains(byte) else {
            return nil
        }
        return Character(UnicodeScalar(byte))
    }
}
