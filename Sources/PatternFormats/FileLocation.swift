// FileLocation: a location in a text file or in a binary file.

import JSONText

/// A location in a file, for messages.
public enum FileLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line and column in a text file.
    case text(SourceLocation)
    /// The offset of a byte in a binary file.
    case byte(Int)

    /// The line and column; nil for a binary file.
    public var sourceLocation: SourceLocation? {
        if case .text(let location) = self { location } else { nil }
    }

    /// The offset of the byte; nil for a text file.
    public var byteOffset: Int? {
        if case .byte(let offset) = self { offset } else { nil }
    }

    /// The location in the form `line:column` or `byte 12`.
    public var description: String {
        switch self {
        case .text(let location): "\(location)"
        case .byte(let offset): "byte \(offset)"
        }
    }
}
