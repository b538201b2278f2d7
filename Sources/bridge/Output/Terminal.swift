// Terminal: standard output, standard error and standard input, and whether a user is at a
// terminal.

import POSIX
import SerialPorts

/// An output of the process, written without buffering, or its input.
struct Terminal {
    let descriptor: Int32

    static var standardInput: Terminal { Terminal(descriptor: streams.input) }
    static var standardOutput: Terminal { Terminal(descriptor: streams.output) }
    static var standardError: Terminal { Terminal(descriptor: streams.errors) }
    private static var streams: HostProgram.Streams { HostProgram.current.streams }

    /// Whether the descriptor is a terminal, at which a user reads or types.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether the cursor can be moved back to redraw a line.
    var canRedraw: Bool { isTerminal && Self.variable("TERM") != "dumb" }

    /// Whether colours are wanted (https://no-color.org).
    var hasColours: Bool { canRedraw && (Self.variable("NO_COLOR") ?? "").isEmpty }

    /// The width in characters; 80 if it is not known.
    var width: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Asks a question to be answered by y or n. No answer counts as n.
    static func confirms(_ question: String) -> Bool {
        standardError.write("\(question) [y/N] ")
        return ["y", "yes"].contains(standardInput.readLine().lowercased())
    }

    /// Reads a line, without its end; what there is of it at the end of the input.
    private func readLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a text. A part that cannot be written is lost.
    func write(_ text: String) { try? write(Array(text.utf8)) }

    /// Writes all bytes. Throws a `ToolError` without a message if a pipe was closed.
    func write(_ bytes: [UInt8]) throws(ToolError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw ToolError(.inputOutput, "")
            } else if errno != EINTR && errno != EAGAIN {
                let reason = String(cString: strerror(errno))
                throw ToolError(.cannotCreate, "standard output: \(reason)")
            }
        }
    }

    /// Returns a text in one of the terminal's colours, if colours are wanted.
    func coloured(_ text: String, _ colour: Colour) -> String {
        hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
        case blue = 34
    }

    private static func variable(_ name: String) -> String? {
        HostProgram.current.variable(name)
    }
}

/// Calls `write(2)` where a method of the same name hides it.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
