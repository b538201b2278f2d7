// JSON text to a value tree, with a line and a column for every value and key.
//
// Lenient mode reads three things that RFC 8259 does not have (trailing commas, comments, a byte
// order mark) because real AHAP files have them, Apple's own samples among them. Nothing is
// guessed: what is broken beyond that is refused with its place.

/// Reads JSON text (RFC 8259).
///
/// Containers are kept on a stack of its own rather than by recursion, so that depth costs memory
/// and never the thread's stack. Time is linear in the length of the text.
public struct JSONReader {
    /// How closely the text must keep to RFC 8259.
    public enum Mode: Sendable {
        /// Exactly.
        case strict
        /// Trailing commas, `//` and `/* */` comments and a byte order mark are repaired.
        case lenient
    }

    /// What came out.
    public struct Result: Sendable {
        /// The value of the whole text.
        public var value: JSONValue
        /// What was repaired, and duplicate keys, of which the last one wins.
        public var diagnostics: [Diagnostic]
    }

    /// The deepest nesting that is read.
    ///
    /// AHAP needs seven levels. The limit keeps everything that walks a tree, which is done by
    /// recursion, far from the end of a small thread's stack.
    public static let maximumDepth = 512

    /// The most arrays and objects of a text that are read: 4,000,000, five times as many as the
    /// largest pattern has.
    public static let maximumContainers = 4_000_000

    /// Reads the bytes of a JSON text in UTF-8.
    ///
    /// - Throws: ``AHAPError`` with the code `invalidPatternData` and the place of the first
    ///   byte that cannot stand where it stands; in strict mode also for every repair.
    public static func read(
        _ bytes: [UInt8], mode: Mode = .lenient
    ) throws(AHAPError) -> Result {
        var report = Report(isStrict: mode == .strict)
        let value = try read(bytes, report: &report)
        return Result(value: value, diagnostics: report.diagnostics)
    }

    /// The same for a caller that keeps the report, even when the text is refused.
    static func read(
        _ bytes: [UInt8], report: inout Report, mostContainers: Int = maximumContainers
    ) throws(AHAPError) -> JSONValue {
        var reader = JSONReader(
            cursor: JSONCursor(bytes), report: report, containersLeft: mostContainers)
        defer { report = reader.report }
        return try reader.readText()
    }

    private var cursor: JSONCursor
    private var report: Report
    private var stack: [Container] = []
    /// How many more arrays and objects may come.
    private var containersLeft: Int

    private init(cursor: JSONCursor, report: Report, containersLeft: Int) {
        self.cursor = cursor
        self.report = report
        self.containersLeft = containersLeft
    }
}

extension JSONReader {
    /// Reads one value and makes sure that nothing follows it.
    private mutating func readText() throws(AHAPError) -> JSONValue {
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
                advice: "remove what follows, or the bracket that closes the text too early")
        }
        return value
    }

    /// Reads a value that is no container, or opens a container and returns nil.
    private mutating func readValue() throws(AHAPError) -> JSONValue? {
        let place = cursor.place
        switch cursor.current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try open(at: place)
            return nil
        case UInt8.quote: return JSONValue(.string(try cursor.readString()), place: place)
        case .some(let byte) where byte.isDigit || byte == UInt8(ascii: "-"):
            return JSONValue(.number(text: try cursor.readNumber()), place: place)
        default:
            guard let literal = cursor.readLiteral() else { throw expected("a value") }
            return JSONValue(literal, place: place)
        }
    }

    private mutating func open(at place: SourcePlace) throws(AHAPError) {
        guard stack.count < Self.maximumDepth else {
            throw cursor.malformed(
                "nested deeper than \(Self.maximumDepth) levels",
                advice: "a pattern needs seven; this is no AHAP file")
        }
        guard containersLeft > 0 else {
            throw cursor.malformed(
                "from here on there are more arrays and objects than are read",
                advice: "a pattern of 100,000 events has 800,000; this is no AHAP file")
        }
        containersLeft -= 1
        stack.append(Container(isObject: cursor.current == UInt8(ascii: "{"), place: place))
        cursor.position += 1
    }

    /// Reads on in the innermost container: up to the next value, or to its closing bracket,
    /// which makes the container itself the value.
    private mutating func readInContainer() throws(AHAPError) -> JSONValue? {
        // Looked at in its place: a copy for each value would cost more than the value.
        let innermost = stack.count - 1
        let closing = stack[innermost].closing
        try cursor.skipBlank(&report)
        if cursor.take(closing) { return close() }
        if !stack[innermost].isEmpty {
            let comma = (place: cursor.place, position: cursor.position)
            guard cursor.take(.comma) else {
                throw expected("\",\" or \(stack[innermost].closingText)")
            }
            try cursor.skipBlank(&report)
            if cursor.take(closing) {
                try repairTrailingComma(at: comma, in: stack[innermost])
                return close()
            }
        }
        if stack[innermost].isObject { try readKey() }
        return try readValue()
    }

    private mutating func readKey() throws(AHAPError) {
        let place = cursor.place
        guard cursor.current == .quote else { throw expected("a key in quotes") }
        stack[stack.count - 1].key = try cursor.readString()
        stack[stack.count - 1].keyPlace = place
        try cursor.skipBlank(&report)
        guard cursor.take(.colon) else { throw expected("\":\" after the key") }
        try cursor.skipBlank(&report)
    }

    private mutating func attach(_ value: JSONValue) {
        guard let earlier = stack[stack.count - 1].attach(value) else { return }
        let container = stack[stack.count - 1]
        report.note(
            .duplicateKey, at: container.keyPlace,
            "the key \"\(Spelling.shortened(container.key))\" occurs again; the last one counts",
            advice: "remove one of the two; the first stands at \(earlier)")
    }

    private mutating func close() -> JSONValue { stack.removeLast().value }

    private mutating func repairTrailingComma(
        at comma: (place: SourcePlace, position: Int), in container: Container
    ) throws(AHAPError) {
        try report.repair(
            .trailingComma, .invalidPatternData, at: comma.place,
            "a comma with nothing between it and \(container.closingText)",
            advice: "remove the comma", fix: .removeBytes(comma.position..<comma.position + 1))
    }

    /// The refusal of what stands at the cursor.
    private func expected(_ what: String) -> AHAPError {
        let opened = stack.last.map { "the \($0.noun) opened at \($0.place)" }
        guard cursor.current != nil else {
            let advice = opened.map { "close \($0)" } ?? "the file is empty; write a pattern"
            return cursor.malformed("expected \(what), found the end of the file", advice: advice)
        }
        let advice = opened.map { "look at what stands before it, inside \($0)" }
        return cursor.malformed(
            "expected \(what), found \(cursor.found)",
            advice: advice ?? "an AHAP file is one object, { \"Pattern\": [...] }")
    }
}

extension JSONReader {
    /// An array or an object that has not been closed yet.
    private struct Container {
        let isObject: Bool
        /// Where its opening bracket stands.
        let place: SourcePlace
        /// The key whose value is being read.
        var key = ""
        var keyPlace: SourcePlace
        private var elements: [JSONValue] = []
        private var members: [JSONObject.Member] = []
        /// Where each key is in `members`, once there are too many to look through. By bytes:
        /// `String` holds canonically equivalent keys for equal, and JSON does not.
        private var index: [[UInt8]: Int] = [:]
        private static let fewMembers = 8

        init(isObject: Bool, place: SourcePlace) {
            self.isObject = isObject
            self.place = place
            self.keyPlace = place
        }

        var isEmpty: Bool { elements.isEmpty && members.isEmpty }
        var noun: String { isObject ? "object" : "array" }
        var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var closingText: String { isObject ? "\"}\"" : "\"]\"" }
        var value: JSONValue {
            JSONValue(isObject ? .object(JSONObject(members)) : .array(elements), place: place)
        }

        /// Adds a value. If its key was there already, replaces that value and returns the place
        /// of the first key.
        mutating func attach(_ value: JSONValue) -> SourcePlace? {
            guard isObject else {
                elements.append(value)
                return nil
            }
            if let earlier = position(of: key) {
                members[earlier].value = value
                return members[earlier].keyPlace
            }
            members.append(JSONObject.Member(key, value, keyPlace: keyPlace))
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
