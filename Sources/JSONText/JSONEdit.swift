// JSONEdit: a change of one value in a JSON text.

/// A step on a path: the step leads from a value to one of its elements or members.
package enum JSONPathStep: Sendable, Hashable {
    /// The value of the given key in an object.
    case key(String)
    /// The element of an array at the given index, counted from 0.
    case index(Int)
}

/// An operation of JSON Patch (RFC 6902) that leaves all other bytes of the text unchanged.
package struct JSONEdit: Sendable, Equatable {
    /// The change at the path.
    package enum Operation: Sendable, Equatable {
        /// Inserts a value into an array, before the element at the path or at the end. In an
        /// object, sets the value of a key, whether or not the key exists.
        case add(JSONValue)
        /// Replaces the value at the path, which must exist.
        case replace(JSONValue)
        /// Removes the value at the path, together with its key and its comma.
        case remove
    }

    /// The path from the root value to the value that changes.
    package var path: [JSONPathStep]
    /// The change.
    package var operation: Operation

    package init(_ operation: Operation, at path: [JSONPathStep]) {
        (self.operation, self.path) = (operation, path)
    }
}

/// The reason why an edit cannot be applied.
package struct JSONEditError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path in the document and the problem at that path, in one sentence without a period.
    package var description: String

    /// Creates an error about a path.
    package init(_ path: some Collection<JSONPathStep>, _ finding: String) {
        let steps = path.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): String(index)
            }
        }
        description = "\(steps.isEmpty ? "the document" : steps.joined(separator: "/")): \(finding)"
    }
}

/// A JSON text whose values can be changed individually.
package struct JSONEditor {
    private let bytes: [UInt8]
    private let spans: JSONSpans
    /// The white space at the beginning of the line on which the text starts.
    private let indentation: [UInt8]

    /// - Parameters:
    ///   - bytes: JSON text that has already been read successfully. The text is a whole document or
    ///     a value within a document.
    ///   - indentation: the white space that precedes the text on its line.
    package init(_ bytes: [UInt8], indentation: [UInt8] = []) throws(JSONError) {
        self.bytes = bytes
        self.indentation = indentation
        spans = try JSONSpans(bytes)
    }

    /// Returns the range of bytes that an edit replaces, and the bytes that replace it.
    package func change(
        for edit: JSONEdit
    ) throws(JSONEditError) -> (range: Range<Int>, text: [UInt8]) {
        switch edit.operation {
        case .add(let value): try addition(of: value, at: edit.path)
        case .replace(let value): replacement(of: try node(at: edit.path), by: value)
        case .remove: removal(of: try node(at: edit.path))
        }
    }

    // MARK: Positions

    private func node(at path: some Collection<JSONPathStep>) throws(JSONEditError) -> Int {
        var node = 0
        for (depth, step) in path.enumerated() {
            guard let next = child(step, of: node) else {
                throw JSONEditError(path.prefix(depth + 1), "there is no such value")
            }
            node = next
        }
        return node
    }

    private func child(_ step: JSONPathStep, of node: Int) -> Int? {
        switch step {
        case .key(let key): return spans.value(of: key, in: node)
        case .index(let index):
            let elements = spans.elements(of: node)
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }

    // MARK: Edits

    private func addition(
        of value: JSONValue, at path: [JSONPathStep]
    ) throws(JSONEditError) -> (Range<Int>, [UInt8]) {
        guard case .key(let key)? = path.last else { return try insertion(of: value, at: path) }
        let owner = try node(at: path.dropLast())
        guard case .object = spans.nodes[owner].content else {
            throw JSONEditError(path, "only an object has keys")
        }
        guard let old = spans.value(of: key, in: owner) else {
            return addition(of: key, value, to: owner)
        }
        return replacement(of: old, by: value)
    }

    private func replacement(of node: Int, by value: JSONValue) -> (Range<Int>, [UInt8]) {
        let style = JSONStyle(bytes[spans.nodes[node].range], baseIndentation(of: node))
        return (spans.nodes[node].range, style.text(of: value))
    }

    private func addition(
        of key: String, _ value: JSONValue, to owner: Int
    ) -> (Range<Int>, [UInt8]) {
        let style = JSONStyle(bytes[spans.nodes[owner].range], baseIndentation(of: owner))
        let member = style.member(key, value)
        let members = spans.members(of: owner)
        guard let last = members.last else {
            let range = spans.nodes[owner].range
            return (
                range, Array("{".utf8) + style.padding + member + style.padding + Array("}".utf8)
            )
        }
        let end = spans.nodes[last.value].range.upperBound
        let before = members.dropLast().last.map { spans.nodes[$0.value].range.upperBound }
        let lead = before ?? spans.nodes[owner].range.lowerBound + 1
        return (end..<end, separator(bytes[lead..<last.start]) + member)
    }

    private func insertion(
        of value: JSONValue, at path: [JSONPathStep]
    ) throws(JSONEditError) -> (Range<Int>, [UInt8]) {
        guard case .index(let index)? = path.last else {
            throw JSONEditError(path, "a value can be inserted only into an array")
        }
        let array = try node(at: path.dropLast())
        guard case .array(let elements) = spans.nodes[array].content,
            0...elements.count ~= index
        else { throw JSONEditError(path, "the array has no such index") }
        return Self.insertion(
            of: value, at: index, of: elements.map { spans.nodes[$0].range },
            in: spans.nodes[array].range, of: bytes, indentation: baseIndentation(of: array))
    }

    /// Returns the change that inserts a value into an array. The style of the inserted text
    /// matches the style of the neighboring values.
    ///
    /// - Parameters:
    ///   - elements: the ranges of the elements.
    ///   - array: the range of the array, including its brackets.
    ///   - bytes: the text.
    ///   - indentation: the indentation of the line on which the array begins.
    package static func insertion(
        of value: JSONValue, at index: Int, of elements: [Range<Int>], in array: Range<Int>,
        of bytes: [UInt8], indentation: [UInt8]
    ) -> (range: Range<Int>, text: [UInt8]) {
        guard let first = elements.first else {
            let inside = array.lowerBound + 1..<array.upperBound - 1
            let style = JSONStyle(
                ofDocument: bytes[..<array.lowerBound], indentation: indentation)
            return (inside, style.onLines(value))
        }
        let neighbour = elements[max(0, index - 1)]
        let lead = array.lowerBound + 1..<first.lowerBound
        let gap =
            elements.count == 1
            ? lead
            : elements[max(0, index - 2)].upperBound..<elements[max(1, index - 1)].lowerBound
        let separator = separatorText(bytes[gap])
        let base = JSONStyle.base(ofLast: bytes[neighbour], after: bytes[gap], indentation)
        let text = JSONStyle(bytes[neighbour], base).text(of: value)
        if index == 0 { return (first.lowerBound..<first.lowerBound, text + separator) }
        return (neighbour.upperBound..<neighbour.upperBound, separator + text)
    }

    private func separator(_ gap: ArraySlice<UInt8>) -> [UInt8] { Self.separatorText(gap) }

    /// Returns a comma, followed by the white space that separates two values.
    private static func separatorText(_ gap: ArraySlice<UInt8>) -> [UInt8] {
        let blank = gap.filter { $0 != .comma }
        let isBlank = blank.allSatisfy { $0.isBlank }
        return [.comma] + (isBlank ? blank : [.space])
    }

    private func removal(of node: Int) -> (Range<Int>, [UInt8]) {
        let range = spans.nodes[node].range
        if let before = spans.sibling(before: node) {
            return (spans.nodes[before].range.upperBound..<range.upperBound, [])
        }
        guard let next = spans.sibling(after: node) else {
            return (Self.onlyPart(spans.start(of: node)..<range.upperBound, of: bytes), [])
        }
        return (spans.start(of: node)..<spans.start(of: next), [])
    }

    /// Returns the range of the only element or member of a container, including the white space
    /// around it.
    package static func onlyPart(_ range: Range<Int>, of bytes: [UInt8]) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start > 0, bytes[start - 1].isBlank { start -= 1 }
        while end < bytes.count, bytes[end].isBlank || bytes[end] == .comma { end += 1 }
        return start..<end
    }

    /// Returns the white space at the beginning of the line on which a value begins.
    private func baseIndentation(of node: Int) -> [UInt8] {
        let start = spans.nodes[node].range.lowerBound
        return JSONStyle.lineIndentation(at: start, in: bytes[...]) ?? indentation
    }
}

extension UInt8 {
    /// True if the byte is white space in JSON.
    var isBlank: Bool {
        self == .space || self == .tab || self == .lineFeed || self == .carriageReturn
    }
}
