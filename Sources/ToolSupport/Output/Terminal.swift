// Terminal: the standard input, output and error streams, and their terminal features.

import POSIX
import SerialPorts

/// A standard stream of the process; output is not buffered.
package struct Terminal {
    package let descriptor: Int32

    package static var standardInput: Terminal { Terminal(descriptor: streams.input) }
    package static var standardOutput: Terminal { Terminal(descriptor: streams.output) }
    package static var standardError: Terminal { Terminal(descriptor: streams.errors) }
    private static var streams: HostProgram.Streams { HostProgram.current.streams }

    /// True if the descriptor is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// True if the cursor can be moved back to redraw a line.
    package var canRedraw: Bool { isTerminal && Self.variable("TERM") != "dumb" }

    /// True if output is colored (https://no-color.org).
    package var hasColours: Bool { canRedraw && (Self.variable("NO_COLOR") ?? "").isEmpty }

    /// The width in characters; 80 if unknown.
    package var width: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Asks a yes-or-no question. Returns false unless the answer is y or yes.
    package static func confirms(_ question: String) -> Bool {
        answer(to: "\(question) [y/N] ") ?? false
    }

    /// Asks a yes-or-no question until the answer is clear, at most three times. Returns nil if no
    /// answer is clear, or after Ctrl-C.
    package static func decision(_ question: String) -> Bool? {
        for _ in 0..<3 where !Interruption.isRequested {
            if let answer = answer(to: "\(question) [y/n] ") { return answer }
        }
        return nil
    }

    /// Asks a question once. Returns nil unless the answer is y, yes, n or no.
    private static func answer(to question: String) -> Bool? {
        standardError.write(question)
        switch standardInput.readLine().lowercased().filter({ !$0.isWhitespace }) {
        case "y", "yes": return true
        case "n", "no": return false
        default: return nil
        }
    }

    /// Reads a line without its line feed. The last line of the input may lack the line feed.
    private func readLine() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes text with its control characters escaped. Errors are ignored.
    package func write(_ text: String) { try? write(Array(printable(text).utf8)) }

    /// Returns text with its control characters escaped, and without colors unless output is
    /// colored. A color sequence in a quoted file takes effect only until the end of its line.
    package func printable(_ text: String) -> String {
        text.printable(colours: hasColours)
    }

    /// Replaces the current line of the terminal with text.
    package func draw(_ line: String) { try? write(Array("\r\(printable(line))\u{1B}[K".utf8)) }

    /// Writes all bytes. Throws a `ToolError`, which has no message if the reader of a pipe has
    /// closed the pipe.
    package func write(_ bytes: [UInt8]) throws(ToolError) {
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

    /// Returns a colored text if output is colored, otherwise the text unchanged.
    package func coloured(_ text: String, _ colour: Colour) -> String {
        hasColours ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    package enum Colour: Int {
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
    /// Returns the text with every character that could control a terminal escaped as `\u{1B}`,
    /// except line feeds and tabs. Texts may quote untrusted files and names.
    ///
    /// - Parameter colours: whether the colors of ``Terminal/Colour`` are kept until the end of
    ///   each line.
    package func printable(colours: Bool) -> String {
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

    /// Returns the end of a color sequence such as `[31m`; nil if the text does not begin with such
    /// a sequence.
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
    /// True for a control character that must be escaped, or for a character that changes the
    /// direction of the following text.
    fileprivate var isCommand: Bool { isControl && value != 0x09 && value != 0x0A }

    /// True for a control character, or for a character that changes the direction of the following
    /// text.
    package var isControl: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            true
        default: false
        }
    }
}

/// Calls `write(2)`. In some types, a method of the same name hides the C function.
package func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
