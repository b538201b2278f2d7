// XMLReader: reads the elements and attributes of a small XML text, with their line and column.
//
// The reader is strict and supports a subset of XML 1.0: elements, attributes, text (which is
// skipped), comments, one declaration and the five predefined entities. The reader rejects document
// types, all other entities, and processing instructions, because untrusted files can use these
// elements to read other files or to expand without limit.

import JSONText

/// An element with its attributes and children.
struct XMLElement: Sendable {
    /// The name.
    var name: String
    /// The attributes by their names.
    var attributes: [String: XMLAttribute]
    /// The child elements.
    var children: [XMLElement]
    /// The location of the first text between the children; nil if there is no such text. The text
    /// itself is not stored.
    var textLocation: SourceLocation?
    /// The location of the opening `<`.
    var location: SourceLocation
}

/// The value of an attribute.
struct XMLAttribute: Sendable {
    /// The value, with entity references replaced.
    var value: String
    /// The location of the attribute's name.
    var location: SourceLocation
}

/// An error that makes an XML text invalid.
struct XMLError: Error, Sendable, Hashable {
    /// The location of the first character that is not allowed.
    var location: SourceLocation
    /// The description of the error, in one sentence without a period.
    var message: String
    /// The remedy, in one sentence without a period.
    var advice: String
}

/// Reads XML texts whose content is in elements and attributes.
struct XMLReader {
    /// The maximum nesting depth.
    static let maximumDepth = 64
    /// The maximum number of elements.
    static let maximumElements = 200_000

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var continuationBytes = 0
    private var elements = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the root element of a text in UTF-8.
    static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        var reader = XMLReader(bytes)
        return try reader.document()
    }
}

extension XMLReader {
    private var location: SourceLocation {
        SourceLocation(line: line, column: position - lineStart - continuationBytes + 1)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func error(
        _ message: String, at other: SourceLocation? = nil, advice: String
    ) -> XMLError {
        XMLError(location: other ?? location, message: message, advice: advice)
    }

    private mutating func advance() {
        guard let byte = current else { return }
        position += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            lineStart = position
            continuationBytes = 0
        } else if byte & 0xC0 == 0x80 {
            continuationBytes += 1
        }
    }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        for _ in 0..<text.utf8CodeUnitCount { advance() }
        return true
    }

    private mutating func skipSpace() {
        while let byte = current, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { advance() }
    }

    // MARK: Document

    private mutating func document() throws(XMLError) -> XMLElement {
        if skip("\u{FEFF}") { (lineStart, continuationBytes) = (position, 0) }
        if isNext("<?xml") { try skipUpTo("?>", of: "the declaration") }
        try skipMiscellaneous()
        let root = try element(depth: 0)
        try skipMiscellaneous()
        guard current == nil else {
            throw error("unexpected text after the root element", advice: "remove the text")
        }
        return root
    }

    private mutating func skipMiscellaneous() throws(XMLError) {
        skipSpace()
        while isNext("<!--") {
            try skipUpTo("-->", of: "the comment")
            skipSpace()
        }
    }

    private mutating func skipUpTo(_ end: StaticString, of what: String) throws(XMLError) {
        let start = location
        while !skip(end) {
            guard current != nil else {
                throw error(
                    "\(what) is never closed", at: start, advice: "close \(what) with \(end)")
            }
            advance()
        }
    }

    // MARK: Elements

    private mutating func element(depth: Int) throws(XMLError) -> XMLElement {
        let start = location
        try refuseOthers()
        guard depth < Self.maximumDepth, elements < Self.maximumElements else {
            throw error(
                "more than \(Self.maximumElements) elements, or a nesting depth of more than "
                    + "\(Self.maximumDepth)", advice: "split the file into several")
        }
        elements += 1
        guard skip("<") else { throw error("expected an element", advice: "write <NAME …>") }
        let name = try self.name()
        var element = XMLElement(
            name: name, attributes: try attributes(), children: [], location: start)
        if skip("/>") { return element }
        guard skip(">") else {
            throw error("expected an attribute, \">\" or \"/>\"", advice: "close the tag")
        }
        try readContent(of: &element, depth: depth)
        return element
    }

    private func refuseOthers() throws(XMLError) {
        if isNext("<!DOCTYPE") || isNext("<!ENTITY") {
            throw error("a document type is not allowed", advice: "remove the declaration")
        }
        if isNext("<![CDATA[") {
            throw error("CDATA is not supported", advice: "remove the CDATA section")
        }
        if isNext("<?") {
            throw error(
                "processing instructions are not supported",
                advice: "remove the processing instruction")
        }
    }

    private mutating func readContent(
        of element: inout XMLElement, depth: Int
    ) throws(XMLError) {
        while true {
            try skipMiscellaneous()
            guard let byte = current else {
                throw error(
                    "the element \(element.name.excerpt) is never closed", at: element.location,
                    advice: "write </\(element.name.excerpt)> at its end")
            }
            guard byte == UInt8(ascii: "<") else {
                if element.textLocation == nil { element.textLocation = location }
                while let byte = current, byte != UInt8(ascii: "<") { advance() }
                continue
            }
            let tagLocation = location
            if skip("</") {
                let closing = try self.name()
                skipSpace()
                guard closing == element.name, skip(">") else {
                    throw error(
                        "expected </\(element.name.excerpt)>", at: tagLocation,
                        advice: "close the inner element first")
                }
                return
            }
            element.children.append(try self.element(depth: depth + 1))
        }
    }

    private mutating func name() throws(XMLError) -> String {
        let start = position
        while let byte = current, Self.isNameByte(byte) { advance() }
        guard position > start else { throw error("expected a name", advice: "write a name") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    // MARK: Attributes

    private mutating func attributes() throws(XMLError) -> [String: XMLAttribute] {
        var attributes: [String: XMLAttribute] = [:]
        skipSpace()
        while let byte = current, Self.isNameByte(byte) {
            let nameLocation = location
            let name = try self.name()
            skipSpace()
            guard skip("=") else {
                throw error("expected \"=\"", advice: "give the attribute a value")
            }
            skipSpace()
            let value = XMLAttribute(value: try quoted(), location: nameLocation)
            guard attributes.updateValue(value, forKey: name) == nil else {
                throw error(
                    "the attribute \(name.excerpt) is given twice", at: nameLocation,
                    advice: "remove one of the two")
            }
            skipSpace()
        }
        return attributes
    }

    private mutating func quoted() throws(XMLError) -> String {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw error("expected a value in quotes", advice: "put the value in quotes")
        }
        let start = location
        advance()
        var value: [UInt8] = []
        while let byte = current, byte != quote {
            if byte == UInt8(ascii: "<") {
                throw error("\"<\" is not allowed in a value", advice: "write &lt;")
            }
            if byte == UInt8(ascii: "&") {
                value += try reference()
            } else {
                value.append(byte)
                advance()
            }
        }
        guard current != nil else {
            throw error("the value is never closed", at: start, advice: "close the quotes")
        }
        advance()
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func reference() throws(XMLError) -> [UInt8] {
        if skip("&lt;") { return Array("<".utf8) }
        if skip("&gt;") { return Array(">".utf8) }
        if skip("&amp;") { return Array("&".utf8) }
        if skip("&quot;") { return Array("\"".utf8) }
        if skip("&apos;") { return Array("'".utf8) }
        throw error(
            "only the entities lt, gt, amp, quot and apos are supported",
            advice: "write the character itself"
        )
    }
}
