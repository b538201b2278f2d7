// JSONReader: reads JSON text into a tree of values, with the line and column of every value and
// key.
//
// Lenient mode accepts three elements that RFC 8259 does not allow but that occur in real files:
// trailing commas, comments and a byte order mark. Any other deviation is reported as an error with
// its location.

/// Reads JSON text (RFC 8259).
///
/// Open containers are stored on an explicit stack, because recursion into deeply nested text could
/// overflow the stack of the thread. The running time is linear in the length of the text.
public struct JSONReader {
    /// Specifies how strictly the text must follow RFC 8259.
    public enum Mode: Sendable {
        /// The text must follow RFC 8259 exactly.
        case strict
        /// Trailing commas, `//` and `/* */` comments and a byte order mark are repaired.
        case lenient
    }

    /// The result of reading a text.
    public struct Result: Sendable {
        /// The value of the whole text.
        public var value: JSONValue
        /// The repairs, and the notes on duplicate keys. The last value of a duplicate key is used.
        public var diagnostics: [JSONDiagnostic]
    }

    /// The maximum depth of nested containers.
    ///
    /// With this limit, recursive functions can visit a tree of values even on a thread with a
    /// small stack.
    public static let maximumDepth = 512

    /// The maximum number of arrays and objects in a text: 4,000,000.
    public static let maximumContainers = 4_000_000

    /// Reads the bytes of a JSON text in UTF-8.
    ///
    /// - Throws: ``JSONError`` with the location of the first unexpected byte. In strict mode, a
    ///   repair is also thrown as an error.
    public static func read(
        _ bytes: [UInt8], mode: Mode = .lenient
    ) throws(JSONError) -> Result {
        var report = JSONReport(isStrict: mode == .strict)
        let value = try read(bytes, report: &report)
        return Result(value: value, diagnostics: report.diagnostics)
    }

    /// Reads the bytes of a JSON text, and adds the diagnostics to the caller's report. The report
    /// contains the diagnostics even if reading fails.
    package static func read(
        _ bytes: [UInt8], report: inout JSONReport, mostContainers: Int = maximumContainers
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(
            cursor: JSONCursor(bytes), report: report, containersLeft: mostContainers)
        defer { report = reader.report }
        return try reader.readText()
    }

    private var cursor: JSONCursor
    private var report: JSONReport
    private var stack: [Container] = []
    /// The number of arrays and objects that may still be opened.
    private var containersLeft: Int

    private init(cursor: JSONCursor, report: JSONReport, containersLeft: Int) {
        self.cursor = cursor
        self.report = report
        self.containersLeft = containersLeft
    }
}

extension JSONReader {
    /// Reads one value and checks that the text ends after it.
    private mutating func readText() throws(JSONError) -> JSONValue {
        if let encoding = TextEncoding.otherThanUTF8(cursor.bytes) {
            throw cursor.malformed(
                "the text is encoded as \(encoding)", advice: "save the file with UTF-8 encoding")
        }
        try cursor.skipByteOrderMark(&report)
        try cursor.skipBlank(&report)
        var value = try readValue()
        while !stack.isEmpty {
            if let value { attach(value) }
            value = try readInContainer()
        }
        try cursor.skipBlank(&report)
        guard let value, cursor.current == nil else {
            throw cursor.malformed(
                "expected the end of the file, found \(cursor.found)",
                advice: "remove the text from this location on, or the bracket that closes the "
                    + "root value too early")
        }
        return value
    }

    /// Reads a scalar value and returns it, or opens a container and returns nil.
    private mutating func readValue() throws(JSONError) -> JSONValue? {
        let location = cursor.location
        switch cursor.current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try open(at: location)
            return nil
        case UInt8.quote: return JSONValue(.string(try cursor.readString()), location: location)
        case .some(let byte) where byte.isDigit || byte == UInt8(ascii: "-"):
            return JSONValue(.number(text: try cursor.readNumber()), location: location)
        default:
            guard let literal = cursor.readLiteral() else { throw expected("a value") }
            return JSONValue(literal, location: location)
        }
    }

    private mutating func open(at location: SourceLocation) throws(JSONError) {
        guard stack.count < Self.maximumDepth else {
            throw cursor.malformed(
                "nested deeper than \(Self.maximumDepth) levels", advice: "reduce the nesting")
        }
        guard containersLeft > 0 else {
            throw cursor.malformed(
                "too many arrays and objects", advice: "split the text into several files")
        }
        containersLeft -= 1
        stack.append(Container(isObject: cursor.current == UInt8(ascii: "{"), location: location))
        cursor.position += 1
    }

    /// Continues reading in the innermost container, up to the next value or the closing bracket.
    /// If the closing bracket is reached, returns the container as the value.
    private mutating func readInContainer() throws(JSONError) -> JSONValue? {
        // The container is accessed in place. Copying it for each value would take longer than
        // reading the value.
        let innermost = stack.count - 1
        let closing = stack[innermost].closing
        try cursor.skipBlank(&report)
        if cursor.skip(closing) { return close() }
        if !stack[innermost].isEmpty {
            let comma = (location: cursor.location, position: cursor.position)
            guard cursor.skip(.comma) else {
                throw expected("\",\" or \(stack[innermost].closingText)")
            }
            try cursor.skipBlank(&report)
            if cursor.skip(closing) {
                try repairTrailingComma(at: comma, in: stack[innermost])
                return close()
            }
        }
        if stack[innermost].isObject { try readKey() }
        return try readValue()
    }

    private mutating func readKey() throws(JSONError) {
        let location = cursor.location
        guard cursor.current == .quote else { throw expected("a key in quotes") }
        stack[stack.count - 1].key = try cursor.readString()
        stack[stack.count - 1].keyLocation = location
        try cursor.skipBlank(&report)
        guard cursor.skip(.colon) else { throw expected("\":\" after the key") }
        try cursor.skipBlank(&report)
    }

    private mutating func attach(_ value: JSONValue) {
        guard let earlier = stack[stack.count - 1].attach(value) else { return }
        let container = stack[stack.count - 1]
        report.note(
            .duplicateKey, at: container.keyLocation,
            "the key \"\(container.key.excerpt)\" occurs again; the last one is used",
            advice: "remove one of the two keys; the first is at \(earlier)")
    }

    private mutating func close() -> JSONValue { stack.removeLast().value }

    private mutating func repairTrailingComma(
        at comma: (location: SourceLocation, position: Int), in container: Container
    ) throws(JSONError) {
        try report.repair(
            .trailingComma, at: comma.location,
            "no value between a comma and \(container.closingText)",
            advice: "remove the comma", skipping: comma.position..<comma.position + 1)
    }

    /// Returns the error for unexpected text at the cursor.
    private func expected(_ what: String) -> JSONError {
        let opened = stack.last.map { "the \($0.noun) opened at \($0.location)" }
        guard cursor.current != nil else {
            let advice = opened.map { "close \($0)" } ?? "the file is empty; write a value"
            return cursor.malformed("expected \(what), found the end of the file", advice: advice)
        }
        let advice = opened.map { "check the text before this location, inside \($0)" }
        return cursor.malformed(
            "expected \(what), found \(cursor.found)",
            advice: advice ?? "JSON text is one object, { \"key\": value }")
    }
}

extension JSONReader {
    /// An array or an object that has not been closed yet.
    private struct Container {
        let isObject: Bool
        /// The location of the opening bracket.
        let location: SourceLocation
        /// The key whose value is being read.
        var key = ""
        var keyLocation: SourceLocation
        private var elements: [JSONValue] = []
        private var members: [JSONObject.Member] = []
        /// The position of each key in `members`. This index is used when there are too many
        /// members for a linear search. Keys are compared by their bytes, because `String` treats
        /// canonically equivalent keys as equal, but JSON does not.
        private var index: [[UInt8]: Int] = [:]
        private static let fewMembers = 8

        init(isObject: Bool, location: SourceLocation) {
            self.isObject = isObject
            self.location = location
            self.keyLocation = location
        }

        var isEmpty: Bool { elements.isEmpty && members.isEmpty }
        var noun: String { isObject ? "object" : "array" }
        var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var closingText: String { isObject ? "\"}\"" : "\"]\"" }
        var value: JSONValue {
            JSONValue(
                isObject ? .object(JSONObject(members)) : .array(elements), location: location)
        }

        /// Adds a value. If the key already exists, replaces its value and returns the location of
        /// the first occurrence of the key.
        mutating func attach(_ value: JSONValue) -> SourceLocation? {
            guard isObject else {
                elements.append(value)
                return nil
            }
            if let earlier = position(of: key) {
                members[earlier].value = value
                return members[earlier].keyLocation
            }
            members.append(JSONObject.Member(key, value, keyLocation: keyLocation))
            if members.count > Self.fewMembers { addToIndex() }
            return nil
        }

        private func position(of key: String) -> Int? {
            guard index.isEmpty else { return index[Array(key.utf8)] }
            return members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
        }

        private mutating func addToIndex() {
            for position in index.count..<members.count {
                index[Array(members[position].key.utf8)] = position
            }
        }
    }
}
