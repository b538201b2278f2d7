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

    /// True if the descriptor is a terminal, at which a user reads or types.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// True if the cursor can be moved back to redraw a line.
    var canRedraw: Bool { isTerminal && Self.variable("TERM") != "dumb" }

    /// True if colours are wanted (https://no-color.org).
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

    /// Writes a text without what could command a terminal. A part that cannot be written is lost.
    func write(_ text: String) { try? write(Array(printable(text).utf8)) }

    /// Returns a text without what could command the terminal, and without colours where none are wanted. A colour
    /// of a file that the text quotes ends with its line.
    func printable(_ text: String) -> String {
        text.printable(colours: hasColours)
    }

    /// Writes a line in place of the one in which the cursor is.
    func draw(_ line: String) { try? write(Array("\r\(printable(line))\u{1B}[K".utf8)) }

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

extension String {
    /// Returns the text with every character that could command a terminal as `\u{1B}`, but for line feeds and
    /// tabs: texts quote files, and names, that may come from strangers.
    ///
    /// - Parameter colours: whether the colours of ``Terminal/Colour`` stay. They end with each line.
    func printable(colours: Bool) -> String {
        guard unicodeScalars.contains(where: \.isCommand) else { return self }
        var text = ""
        var isColoured = false
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if colours, scalar == "\u{1B}", let end = Self.colour(at: rest) {
                text += "\u{1B}" + String(rest[..<end])
                isColoured = !text.hasSuffix("[0m")
                rest = rest[end...]
            } else if scalar.isCommand {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                if scalar == "\n", isColoured {
                    text += Self.colourEnd
                    isColoured = false
                }
                text.unicodeScalars.append(scalar)
            }
        }
        return isColoured ? text + Self.colourEnd : text
    }

    private static let colourEnd = "\u{1B}[0m"

    /// Returns the end of `[31m` and the like; nil if there is none.
    private static func colour(
        at rest: Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView.Index? {
        guard rest.first == "[" else { return nil }
        let end = rest.dropFirst().firstIndex { !("0"..."9" ~= $0) }
        guard let end, rest[end] == "m", let code = Int(String(rest[..<end].dropFirst())),
            code == 0 || Terminal.Colour(rawValue: code) != nil
        else { return nil }
        return rest.index(after: end)
    }
}

extension Unicode.Scalar {
    /// True if the character is a control, or changes the direction of what follows.
    fileprivate var isCommand: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            true
        default: false
        }
    }
}

/// Calls `write(2)` where a method of the same name hides it.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
