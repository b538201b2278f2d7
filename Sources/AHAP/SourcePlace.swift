// Where something stands in a file.

/// A place in an AHAP file, for reports to people.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
    // Every value of a file has a place, and a file may have millions: half the bytes do.
    private let storedLine: UInt32
    private let storedColumn: UInt32
    /// -1 for none.
    private let storedIndex: Int32

    /// The line, counted from 1. CR, LF and CR LF each end a line.
    public var line: Int { Int(storedLine) }
    /// The column, counted from 1 in Unicode scalars (a tab is one).
    public var column: Int { Int(storedColumn) }
    /// The index in the file's `Pattern` array, counted from 0; nil outside of it.
    public var patternIndex: Int? { storedIndex < 0 ? nil : Int(storedIndex) }

    /// Makes a place.
    public init(line: Int, column: Int, patternIndex: Int? = nil) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedIndex = patternIndex.map(Int32.init(clamping:)) ?? -1
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
