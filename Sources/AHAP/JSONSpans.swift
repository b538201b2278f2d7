// Which bytes of a JSON text make up which value.

/// The values of a JSON text with their bytes, for changes that leave everything else as it is.
struct JSONSpans {
    /// One value, with the way to its container.
    struct Node {
        enum Content {
            case scalar
            case array([Int])
            case object([Member])
        }

        var range: Range<Int>
        var content = Content.scalar
        var parent: Int?
        /// The part of its container that it is.
        var index = 0
    }

    /// A key with its value's node; its bytes reach from the key to the value's end.
    struct Member {
        var key: String
        var start: Int
        var value: Int
    }

    private(set) var nodes: [Node] = []
    /// The node that starts at a place, or whose key does.
    private var starts: [Int: Int] = [:]
    private var keys: [Int: Int] = [:]
    private var cursor: JSONCursor

    /// - Parameter bytes: JSON text that was read before, whatever had to be repaired.
    init(_ bytes: [UInt8]) throws(AHAPError) {
        cursor = JSONCursor(bytes)
        var report = Report(isStrict: false)
        try cursor.skipByteOrderMark(&report)
        try cursor.skipBlank(&report)
        _ = try read(parent: nil, &report)
    }

    /// The value at a place.
    func node(at place: SourcePlace) -> Int? { starts[Self.number(place)] }

    /// The value whose key stands at a place.
    func member(at place: SourcePlace) -> Int? { keys[Self.number(place)] }

    func members(of node: Int) -> [Member] {
        if case .object(let members) = nodes[node].content { members } else { [] }
    }

    /// The value of an object's key.
    func value(of key: AHAPKey, in node: Int) -> Int? {
        members(of: node).last { $0.key == key.rawValue }?.value
    }

    /// The values of an array.
    func elements(of node: Int) -> [Int] {
        if case .array(let elements) = nodes[node].content { elements } else { [] }
    }

    /// The value before another in their container.
    func sibling(before node: Int) -> Int? { part(nodes[node].index - 1, of: nodes[node].parent) }

    /// The value after another in their container.
    func sibling(after node: Int) -> Int? { part(nodes[node].index + 1, of: nodes[node].parent) }

    private func part(_ index: Int, of container: Int?) -> Int? {
        guard let container, index >= 0 else { return nil }
        switch nodes[container].content {
        case .scalar: return nil
        case .array(let elements): return index < elements.count ? elements[index] : nil
        case .object(let members): return index < members.count ? members[index].value : nil
        }
    }

    /// The place at which a value begins, with its key if it has one.
    func start(of node: Int) -> Int {
        guard let parent = nodes[node].parent, case .object(let members) = nodes[parent].content
        else { return nodes[node].range.lowerBound }
        return members[nodes[node].index].start
    }

    func text(of node: Int) -> String {
        String(decoding: cursor.bytes[nodes[node].range], as: UTF8.self)
    }

    private static func number(_ place: SourcePlace) -> Int { place.line << 32 | place.column }

    /// Depth is limited by ``JSONReader/maximumDepth``, which has read the text before.
    private mutating func read(parent: Int?, _ report: inout Report) throws(AHAPError) -> Int {
        let index = nodes.count
        let start = cursor.position
        starts[Self.number(cursor.place)] = index
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
        of parent: Int, _ report: inout Report
    ) throws(AHAPError) -> [Member] {
        var members: [Member] = []
        cursor.position += 1
        try cursor.skipBlank(&report)
        while !cursor.take(UInt8(ascii: "}")) {
            let (start, place) = (cursor.position, cursor.place)
            let key = try cursor.readString()
            try cursor.skipBlank(&report)
            _ = cursor.take(.colon)
            try cursor.skipBlank(&report)
            let value = try read(parent: parent, &report)
            nodes[value].index = members.count
            keys[Self.number(place)] = value
            members.append(Member(key: key, start: start, value: value))
            try skipSeparator(&report)
        }
        return members
    }

    private mutating func elements(
        of parent: Int, _ report: inout Report
    ) throws(AHAPError) -> [Int] {
        var elements: [Int] = []
        cursor.position += 1
        try cursor.skipBlank(&report)
        while !cursor.take(UInt8(ascii: "]")) {
            let element = try read(parent: parent, &report)
            nodes[element].index = elements.count
            elements.append(element)
            try skipSeparator(&report)
        }
        return elements
    }

    private mutating func skipSeparator(_ report: inout Report) throws(AHAPError) {
        try cursor.skipBlank(&report)
        _ = cursor.take(.comma)
        try cursor.skipBlank(&report)
    }
}
