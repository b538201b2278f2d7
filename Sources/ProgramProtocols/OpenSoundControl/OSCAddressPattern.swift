// OSCAddressPattern: address patterns as defined by OSC 1.0.

/// An address pattern. In a pattern, `?` matches one character, `*` any number of characters,
/// `[a-c]` one of the listed characters, `[!a-c]` any other character, and `{foo,bar}` one of the
/// listed strings. None of these wildcards matches a slash.
///
/// The time that is needed to compare an address with a pattern is at most proportional to the
/// product of their lengths.
public struct OSCAddressPattern: Sendable, Hashable, CustomStringConvertible {
    private enum Step: Sendable, Hashable {
        case character(UInt8)
        case any
        case many
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
        case texts([[UInt8]])
    }

    /// The original text of the pattern.
    public let description: String
    private let steps: [Step]
    /// True if the pattern contains no wildcards, so it matches only one address.
    public let isLiteral: Bool

    /// The maximum length of a pattern and of a matching address, in bytes.
    public static let length = 1024

    /// Creates a pattern. Returns nil if the text has an unmatched bracket or brace, does not begin
    /// with a slash, or is longer than 1,024 bytes.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.length else { return nil }
        var steps: [Step] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "?"): steps.append(.any)
            case UInt8(ascii: "*"): if steps.last != .many { steps.append(.many) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let closing = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
                guard let end = bytes[index...].firstIndex(of: closing) else { return nil }
                let content = bytes[(index + 1)..<end]
                guard !content.contains(UInt8(ascii: "/")) else { return nil }
                steps.append(
                    closing == UInt8(ascii: "]")
                        ? Self.characters(content)
                        : .texts(
                            content.split(
                                separator: UInt8(ascii: ","), omittingEmptySubsequences: false
                            ).map(Array.init)))
                index = end
            case UInt8(ascii: "]"), UInt8(ascii: "}"): return nil
            default: steps.append(.character(byte))
            }
            index += 1
        }
        description = text
        self.steps = steps
        isLiteral = steps.allSatisfy { if case .character = $0 { true } else { false } }
    }

    private static func characters(_ content: ArraySlice<UInt8>) -> Step {
        let isNegated = content.first == UInt8(ascii: "!")
        let bytes = Array(isNegated ? content.dropFirst() : content)
        var ranges: [ClosedRange<UInt8>] = []
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            let isRange = index + 2 < bytes.count && bytes[index + 1] == UInt8(ascii: "-")
            let last = isRange ? bytes[index + 2] : first
            ranges.append(min(first, last)...max(first, last))
            index += isRange ? 3 : 1
        }
        return .oneOf(ranges, isNegated: isNegated)
    }

    /// Returns whether the pattern matches an address.
    public func matches(_ address: String) -> Bool {
        if isLiteral { return address.utf8.elementsEqual(description.utf8) }
        let bytes = Array(address.utf8)
        guard bytes.count <= Self.length else { return false }
        // The positions in the address that can be reached by the steps that have been processed.
        var reached = [Bool](repeating: false, count: bytes.count + 1)
        reached[0] = true
        for step in steps {
            reached = Self.advance(reached, over: step, in: bytes)
            if !reached.contains(true) { return false }
        }
        return reached[bytes.count]
    }

    private static func advance(_ reached: [Bool], over step: Step, in bytes: [UInt8]) -> [Bool] {
        var next = [Bool](repeating: false, count: reached.count)
        let slash = UInt8(ascii: "/")
        for position in bytes.indices.map({ $0 }) + [bytes.count] where reached[position] {
            let byte = position < bytes.count ? bytes[position] : nil
            switch step {
            case .character(let expected): if byte == expected { next[position + 1] = true }
            case .any: if let byte, byte != slash { next[position + 1] = true }
            case .many: next[position] = true
            case .oneOf(let ranges, let isNegated):
                guard let byte, byte != slash else { continue }
                if ranges.contains(where: { $0.contains(byte) }) != isNegated {
                    next[position + 1] = true
                }
            case .texts(let texts):
                for text in texts where bytes[position...].starts(with: text) {
                    next[position + text.count] = true
                }
            }
        }
        guard step == .many else { return next }
        for position in bytes.indices where next[position] && bytes[position] != slash {
            next[position + 1] = true
        }
        return next
    }
}
