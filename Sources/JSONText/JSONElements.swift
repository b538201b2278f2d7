// JSONElements: the byte ranges of the elements of one array in a JSON text. Finding the ranges
// does not require reading the values of the elements.

/// The byte ranges of the elements of an array that is a member of the outermost object.
///
/// A large text is searched only once: when the text changes, the ranges are adjusted.
package struct JSONElements {
    /// The range of the array, including its brackets.
    package private(set) var array: Range<Int>
    /// The ranges of the elements in order.
    package private(set) var elements: [Range<Int>] = []

    /// Searches a text for the array. Returns nil if the text does not contain such an array.
    ///
    /// - Parameter bytes: JSON text that has already been read successfully, possibly with repairs.
    package init?(of key: String, in bytes: [UInt8]) {
        var cursor = JSONCursor(bytes)
        guard let start = try? cursor.findValue(of: key), cursor.at(start, is: UInt8(ascii: "[")),
            let found = try? cursor.elements()
        else { return nil }
        elements = found
        array = start..<cursor.position
    }

    /// Adjusts the ranges after the size of an element has changed.
    package mutating func resize(_ index: Int, to count: Int) {
        let growth = count - elements[index].count
        let range = elements[index]
        elements[index] = range.lowerBound..<range.upperBound + growth
        move(elementsFrom: index + 1, by: growth)
    }

    /// Adjusts the ranges after an element has been inserted. `growth` is the number of bytes by
    /// which the text has grown.
    package mutating func insert(_ range: Range<Int>, at index: Int, growth: Int) {
        move(elementsFrom: index, by: growth)
        elements.insert(range, at: index)
    }

    /// Adjusts the ranges after an element has been removed. `shrinkage` is the number of bytes by
    /// which the text has shrunk.
    package mutating func remove(at index: Int, shrinkage: Int) {
        elements.remove(at: index)
        move(elementsFrom: index, by: -shrinkage)
    }

    private mutating func move(elementsFrom first: Int, by offset: Int) {
        array = array.lowerBound..<array.upperBound + offset
        guard offset != 0 else { return }
        for index in first..<max(first, elements.count) {
            let range = elements[index]
            elements[index] = range.lowerBound + offset..<range.upperBound + offset
        }
    }
}

extension JSONCursor {
    fileprivate mutating func at(_ start: Int, is byte: UInt8) -> Bool {
        position = start
        return current == byte
    }

    /// Returns the position of the value that belongs to a key of the root object. If the key
    /// occurs more than once, the last occurrence is used.
    fileprivate mutating func findValue(of key: String) throws(JSONError) -> Int? {
        var report = JSONReport(isStrict: false)
        try skipByteOrderMark(&report)
        try skipBlank(&report)
        guard skip(UInt8(ascii: "{")) else { return nil }
        try skipBlank(&report)
        var found: Int?
        while current == .quote {
            let name = try readString()
            try skipBlank(&report)
            _ = skip(.colon)
            try skipBlank(&report)
            if name == key { found = position }
            try skipValue(&report)
            try skipSeparator(&report)
        }
        return found
    }

    /// Returns the ranges of the elements of the array at the position, and advances to the end of
    /// the array.
    fileprivate mutating func elements() throws(JSONError) -> [Range<Int>] {
        var report = JSONReport(isStrict: false)
        var elements: [Range<Int>] = []
        position += 1
        try skipBlank(&report)
        while current != nil, !skip(UInt8(ascii: "]")) {
            let start = position
            try skipValue(&report)
            guard position > start else { return elements }
            elements.append(start..<position)
            try skipSeparator(&report)
        }
        return elements
    }

    private mutating func skipSeparator(_ report: inout JSONReport) throws(JSONError) {
        try skipBlank(&report)
        _ = skip(.comma)
        try skipBlank(&report)
    }

    /// Skips a value: a container, a string, a literal or a number. The text must already have been
    /// read successfully.
    private mutating func skipValue(_ report: inout JSONReport) throws(JSONError) {
        var depth = 0
        repeat {
            guard let byte = current else { return }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case .quote: skipString()
            case .comma, .colon: position += 1
            case .space, .tab, .lineFeed, .carriageReturn, .slash: try skipBlank(&report)
            default: skipWord()
            }
        } while depth > 0
    }

    private mutating func skipString() {
        position += 1
        while let byte = current, byte != .quote { position += byte == .backslash ? 2 : 1 }
        position = min(position + 1, bytes.count)
    }

    private mutating func skipWord() {
        let ends: Set<UInt8> = [
            .comma, .colon, .slash, .quote, UInt8(ascii: "]"), UInt8(ascii: "}"),
        ]
        repeat { position += 1 } while current.map { !$0.isBlank && !ends.contains($0) } ?? false
    }
}
