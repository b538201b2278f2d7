// JSONWriter: writes a tree of values as JSON text according to RFC 8259. The resulting bytes are
// the same on every system.

/// Writes JSON text.
public struct JSONWriter {
    /// The layout of the text.
    public enum Layout: Sendable {
        /// One line without white space.
        case compact
        /// Two spaces of indentation per level, and a line feed at the end. An object that contains
        /// only scalars is written on one line.
        case indented
    }

    /// Returns the text of a value. The digits of numbers and the order of keys are preserved.
    public static func text(of value: JSONValue, layout: Layout = .indented) -> String {
        var writer = JSONWriter(layout: layout)
        writer.write(value, level: 0)
        return writer.output + (layout == .indented ? "\n" : "")
    }

    private let layout: Layout
    private var output = ""

    private init(layout: Layout) { self.layout = layout }

    private mutating func write(_ value: JSONValue, level: Int) {
        switch value.kind {
        case .null: output += "null"
        case .bool(let bool): output += bool ? "true" : "false"
        case .number(let text): output += text
        case .string(let string): write(string)
        case .array(let elements):
            write(elements, "[", "]", level: level, onOneLine: elements.isEmpty) {
                $0.write($1, level: level + 1)
            }
        case .object(let object):
            let short = !object.members.contains(where: { $0.value.isContainer })
            write(object.members, "{", "}", level: level, onOneLine: short) {
                $0.write($1, level: level + 1)
            }
        }
    }

    private mutating func write(_ member: JSONObject.Member, level: Int) {
        write(member.key)
        output += layout == .indented ? ": " : ":"
        write(member.value, level: level)
    }

    /// Writes a container: its brackets, its elements or members, and their separators.
    private mutating func write<Part>(
        _ parts: [Part], _ opening: String, _ closing: String, level: Int, onOneLine: Bool,
        each write: (inout JSONWriter, Part) -> Void
    ) {
        let padding = onOneLine && !parts.isEmpty && layout == .indented ? " " : ""
        output += opening + padding
        for (index, part) in parts.enumerated() {
            if index > 0 { output += onOneLine && layout == .indented ? ", " : "," }
            if !onOneLine { startLine(level: level + 1) }
            write(&self, part)
        }
        if !onOneLine { startLine(level: level) }
        output += padding + closing
    }

    private mutating func startLine(level: Int) {
        guard layout == .indented else { return }
        output += "\n" + String(repeating: "  ", count: level)
    }

    private mutating func write(_ string: String) {
        output += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\t": output += "\\t"
            case ..<" ": output += "\\u00" + (scalar.value < 16 ? "0" : "1") + hexDigit(scalar)
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }

    /// Returns the last hexadecimal digit of a control character's code.
    private func hexDigit(_ scalar: Unicode.Scalar) -> String {
        String(scalar.value % 16, radix: 16)
    }
}

extension JSONValue {
    /// True if the value is an array or an object.
    var isContainer: Bool {
        switch kind {
        case .array, .object: true
        default: false
        }
    }

    /// Returns a number with the fewest digits that represent exactly the given value, independent
    /// of the locale.
    ///
    /// JSON cannot represent infinity and NaN. These values are written as null, which readers do
    /// not accept as a number.
    package static func number(_ value: Double) -> JSONValue {
        JSONValue(value.isFinite ? .number(text: value.description) : .null)
    }
}
