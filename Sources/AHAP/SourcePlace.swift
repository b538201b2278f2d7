// Where something stands in a file.

/// A place in an AHAP file, for reports to people.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
    /// The line, counted from 1. CR, LF and CR LF each end a line.
    public var line: Int
    /// The column, counted from 1 in Unicode scalars (a tab is one).
    public var column: Int
    /// The index in the file's `Pattern` array, counted from 0; nil outside of it.
    public var patternIndex: Int?

    /// Makes a place.
    public init(line: Int, column: Int, patternIndex: Int? = nil) {
        self.line = line
        self.column = column
        self.patternIndex = patternIndex
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}

/// A property that takes no part in the equality of its owner.
///
/// Two events are equal when they feel the same, wherever they stand in their files.
@propertyWrapper
public struct NotCompared<Value: Sendable>: Sendable, Equatable {
    /// The value itself.
    public var wrappedValue: Value

    /// Wraps a value.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// Always true.
    public static func == (left: Self, right: Self) -> Bool { true }
}
