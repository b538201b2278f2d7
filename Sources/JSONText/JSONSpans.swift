// JSONSpans: the byte ranges of all values of a JSON text.

/// The values of a JSON text with their byte ranges. These ranges make it possible to change values
/// without changing any other bytes.
package struct JSONSpans {
    /// A value, together with the index of the container that contains it.
    package struct Node {
        package enum Content {
            case scalar
            case array([Int])
            case object([Member])
        }

        package var range: Range<Int>
        package var content = Content.scalar
        package var parent: Int?
        /// The index of the value in its container.
        package var index = 0
    }

    /// A key and the node of its value. The range of a member extends from the start of the key to
    /// the end of the value.
    package struct Member {
        package var key: String
        package var start: Int
        package var value: Int
    }

    package private(set) var nodes: [Node] = []
    /// The nodes, by their start locations.
    private var starts: [Int: Int] = [:]
    private var keys: [Int: Int] = [:]
    private var cursor: JSONCursor

    /// Determines the byte ranges of the values of a text.
    ///
    /// - Parameter bytes: JSON text that has already been read successfully, possibly with repairs.
    package init(_ bytes: [UInt8]) throws(JSONError) {
        cursor = JSONCursor(bytes)
        var report = JSONReport(isStrict: false)
        try cursor.skipByteOrderMark(&report)
        try cursor.skipBlank(&report)
        _ = try read(parent: nil, &report)
    }

    /// Returns the index of the node that starts at a location.
    package func node(at location: SourceLocation) -> Int? { starts[Self.number(location)] }

    /// Returns the index of the node whose key starts at a location.
    package func member(at location: SourceLocation) -> Int? { keys[Self.number(location)] }

    package func members(of node: Int) -> [Member] {
        if case .object(let members) = nodes[node].content { members } else { [] }
    }

    /// Returns the node of the value that belongs to a key of an object.
    package func value(of key: String, in node: Int) -> Int? {
        members(of: node).last { $0.key == key }?.value
    }

    /// Returns the nodes of the elements of an array.
    package func elements(of node: Int) -> [Int] {
        if case .array(let elements) = nodes[node].content { elements } else { [] }
    }

    /// Returns the node that precedes a node in the same container.
    package func sibling(before node: Int) -> Int? {
        part(nodes[node].index - 1, of: nodes[node].parent)
    }

    /// Returns the node that follows a node in the same container.
    package func sibling(after node: Int) -> Int? {
        part(nodes[node].index + 1, of: nodes[node].parent)
    }

    private func part(_ index: Int, of container: Int?) -> Int? {
        guard let container, index >= 0 else { return nil }
        switch nodes[container].content {
        case .scalar: return nil
        case .array(let elements): return index < elements.count ? elements[index] : nil
        case .object(let members): return index < members.count ? members[index].value : nil
        }
    }

    /// Returns the byte position at which a node begins, including its key if it has one.
    package func start(of node: Int) -> Int {
        guard let parent = nodes[node].parent, case .object(let members) = nodes[parent].content
        else { return nodes[node].range.lowerBound }
        return members[nodes[node].index].start
    }

    package func text(of node: Int) -> String {
        String(decoding: cursor.bytes[nodes[node].range], as: UTF8.self)
    }

    private static func number(_ location: SourceLocation) -> Int {
        location.line << 32 | location.column
    }

    /// Reads one value and its contents. The recursion is limited to ``JSONReader/maximumDepth``,
    /// because JSONReader has already read the text.
    private mutating func read(parent: Int?, _ report: inout JSONReport) throws(JSONError) -> Int {
        let index = nodes.count
        let start = cursor.position
        starts[Self.number(cursor.location)] = index
        nodes.append(Node(range: start..<start, parent: parent))
        switch cursor.current {
        case UInt8(ascii: "{"): nodes[index].content = .object(try members(of: index, &report))
        case UInt8(ascii: "["): nodes[index].content = .array(try elements(of: index, &report))
        case UInt8.quote: _ = try cursor.readString()
        default: if cursor.readLiteral() == nil { _ = try cursor.readNumber() }
        }
        nodes[index].range = start..<cursor.position
        return index
    }

    private mutating func members(
        of parent: Int, _ report: inout JSONReport
    ) throws(JSONError) -> [Member] {
        var members: [Member] = []
        cursor.position += 1
        try cursor.skipBlank(&report)
        while !cursor.skip(UInt8(ascii: "}")) {
            let (start, location) = (cursor.position, cursor.location)
            let key = try cursor.readString()
            try cursor.skipBlank(&report)
            _ = cursor.skip(.colon)
            try cursor.skipBlank(&report)
            let value = try read(parent: parent, &report)
            nodes[value].index = members.count
            keys[Self.number(location)] = value
            members.append(Member(key: key, start: start, value: value))
            try skipSeparator(&report)
        }
        return members
    }

    private mutating func elements(
        of parent: Int, _ report: inout JSONReport
    ) throws(JSONError) -> [Int] {
        var elements: [Int] = []
        cursor.position += 1
        try cursor.skipBlank(&report)
        while !cursor.skip(UInt8(ascii: "]")) {
            let element = try read(parent: parent, &report)
            nodes[element].index = elements.count
            elements.append(element)
            try skipSeparator(&report)
        }
        return elements
    }

    private mutating func skipSeparator(_ report: inout JSONReport) throws(JSONError) {
        try cursor.skipBlank(&report)
        _ = cursor.skip(.comma)
        try cursor.skipBlank(&report)
    }
}
