// SourceLocation: a line and a column of a text.

/// A location in a text, for messages.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    // 32-bit integers save memory: a text may have millions of values, and each value has a
    // location.
    private let storedLine: UInt32
    private let storedColumn: UInt32
    /// The value of ``entryIndex``, or -1 for nil.
    private let storedIndex: Int32

    /// The line, counted from 1. CR, LF and CR LF each end a line.
    public var line: Int { Int(storedLine) }
    /// The column, counted from 1 in Unicode scalars. A tab counts as one column.
    public var column: Int { Int(storedColumn) }
    /// The index of the document's entry that contains the location, counted from 0; nil if no
    /// entry contains the location.
    public var entryIndex: Int? { storedIndex < 0 ? nil : Int(storedIndex) }

    /// Creates a location.
    public init(line: Int, column: Int, entryIndex: Int? = nil) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedIndex = entryIndex.map(Int32.init(clamping:)) ?? -1
    }

    /// The location in the form `line:column`.
    public var description: String { "\(line):\(column)" }
}
