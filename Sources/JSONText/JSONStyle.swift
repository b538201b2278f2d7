// JSONStyle: the layout of a JSON text, derived from a part of that text.

/// The layout of a value. Values that are added next to this value are written in the same layout.
struct JSONStyle {
    /// The indentation of the line on which the value ends.
    private let base: [UInt8]
    /// The indentation that each level of brackets adds; nil if values are on one line.
    private var unit: [UInt8]?
    private var newLine: [UInt8] = [.lineFeed]
    /// True if an object that contains only scalars is written on one line.
    private var isInnermostInline = true
    private var colon: [UInt8] = [.colon, .space]
    private var comma: [UInt8] = [.comma, .space]
    /// The space inside the brackets of an object that is written on one line.
    private(set) var padding: [UInt8] = []

    /// Derives the layout from a value.
    ///
    /// - Parameters:
    ///   - sample: the text of the value.
    ///   - base: the indentation of the line on which the value ends.
    init(_ sample: ArraySlice<UInt8>, _ base: [UInt8]) {
        self.base = base
        guard let spans = try? JSONSpans(Array(sample)) else { return }
        let bytes = Array(sample)
        if let end = bytes.firstIndex(of: .lineFeed) {
            if end > 0, bytes[end - 1] == .carriageReturn {
                newLine = [.carriageReturn, .lineFeed]
            }
            let indentation = bytes[(end + 1)...].prefix { $0 == .space || $0 == .tab }
            unit = Self.unit(Array(indentation), over: base)
        }
        derive(from: spans, bytes)
    }

    /// Creates the layout for a document that does not contain a neighboring value yet.
    init(ofDocument text: ArraySlice<UInt8>, indentation: [UInt8]) {
        base = indentation
        guard let end = text.firstIndex(of: .lineFeed) else { return }
        if end > text.startIndex, text[end - 1] == .carriageReturn {
            newLine = [.carriageReturn, .lineFeed]
        }
        unit = indentation.isEmpty ? [.space, .space] : indentation
        padding = [.space]
    }

    private static func unit(_ inner: [UInt8], over base: [UInt8]) -> [UInt8] {
        guard inner.count > base.count, inner.starts(with: base) else { return [.space, .space] }
        return Array(inner[base.count...])
    }

    private mutating func derive(from spans: JSONSpans, _ bytes: [UInt8]) {
        var isInnermostKnown = false
        for (index, node) in spans.nodes.enumerated() {
            guard case .object(let members) = node.content, let first = members.first else {
                continue
            }
            let value = spans.nodes[first.value].range
            let isInnermost = members.allSatisfy { spans.nodes[$0.value].content.isScalar }
            let isInline = !bytes[node.range].contains(.lineFeed)
            if isInnermost, !isInnermostKnown {
                (isInnermostKnown, isInnermostInline) = (true, isInline)
            }
            if index == 0 || isInnermost {
                deriveColon(from: bytes[first.start..<value.lowerBound])
            }
            guard isInline else { continue }
            padding = Array(bytes[node.range.lowerBound + 1..<first.start])
            guard members.count > 1 else { continue }
            let gap = bytes[value.upperBound..<members[1].start]
            if gap.allSatisfy({ $0.isBlank || $0 == .comma }) { comma = Array(gap) }
        }
    }

    private mutating func deriveColon(from keyAndColon: ArraySlice<UInt8>) {
        guard let end = keyAndColon.lastIndex(of: .quote) else { return }
        let text = Array(keyAndColon[(end + 1)...])
        guard text.allSatisfy({ $0 == .colon || $0 == .space }) else { return }
        colon = text
        if text == [.colon] { comma = [.comma] }
    }

    // MARK: Indentation

    /// Returns the white space at the beginning of the line that contains a position; nil if the
    /// line begins before the given text.
    static func lineIndentation(at position: Int, in bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard let end = bytes[..<position].lastIndex(of: .lineFeed) else { return nil }
        return Array(bytes[(end + 1)...].prefix { $0 == .space || $0 == .tab })
    }

    /// Returns the indentation of the line on which a neighboring value ends.
    static func base(
        ofLast neighbour: ArraySlice<UInt8>, after gap: ArraySlice<UInt8>, _ outer: [UInt8]
    ) -> [UInt8] {
        lineIndentation(at: neighbour.endIndex, in: neighbour)
            ?? lineIndentation(at: gap.endIndex, in: gap) ?? outer
    }

    // MARK: Text

    /// Returns the text of a value in this layout.
    func text(of value: JSONValue) -> [UInt8] { text(of: value, base) }

    /// Returns the text of a member.
    func member(_ key: String, _ value: JSONValue) -> [UInt8] {
        member(key, value, base + (unit ?? []))
    }

    /// Returns the text of a value that is the only element between brackets.
    func onLines(_ value: JSONValue) -> [UInt8] {
        guard let unit else { return text(of: value) }
        return newLine + base + unit + text(of: value, base + unit) + newLine + base
    }

    private func member(_ key: String, _ value: JSONValue, _ indentation: [UInt8]) -> [UInt8] {
        scalar(JSONValue(.string(key))) + colon + text(of: value, indentation)
    }

    private func scalar(_ value: JSONValue) -> [UInt8] {
        Array(JSONWriter.text(of: value, layout: .compact).utf8)
    }

    private func text(of value: JSONValue, _ indentation: [UInt8]) -> [UInt8] {
        let inner = indentation + (unit ?? [])
        switch value.kind {
        case .object(let object):
            let isInnermost = !object.members.contains(where: { $0.value.isContainer })
            return bracketed(
                object.members.map { member($0.key, $0.value, inner) }, "{", "}", padding,
                indentation, isOnOneLine: isInnermost && isInnermostInline)
        case .array(let elements):
            return bracketed(
                elements.map { text(of: $0, inner) }, "[", "]", [], indentation,
                isOnOneLine: !elements.contains(where: { $0.isContainer }))
        default: return scalar(value)
        }
    }

    private func bracketed(
        _ parts: [[UInt8]], _ opening: String, _ closing: String, _ padding: [UInt8],
        _ indentation: [UInt8], isOnOneLine: Bool
    ) -> [UInt8] {
        guard !parts.isEmpty else { return Array((opening + closing).utf8) }
        guard let unit, !isOnOneLine else {
            let content = Array(parts.joined(separator: comma))
            return Array(opening.utf8) + padding + content + padding + Array(closing.utf8)
        }
        let line = newLine + indentation
        let content = Array(parts.joined(separator: [.comma] + line + unit))
        return Array(opening.utf8) + line + unit + content + line + Array(closing.utf8)
    }
}

extension JSONSpans.Node.Content {
    var isScalar: Bool { if case .scalar = self { true } else { false } }
}
