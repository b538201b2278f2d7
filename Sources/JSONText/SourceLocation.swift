// SourceLocation: a line and a column of a text.

/// A location in a text, for reports to people.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    // Every value of a text has a location, and a text may have millions: half the bytes do.
    private let storedLine: UInt32
    private let storedColumn: UInt32
    /// The index in `Pattern`, or -1 for none.
    private let storedIndex: Int32

    /// The line, counted from 1. CR, LF and CR LF each end a line.
    public var line: Int { Int(storedLine) }
    /// The column, counted from 1 in Unicode scalars (a tab is one).
    public var column: Int { Int(storedColumn) }
    /// The index in the list of entries that the format of the text has, counted from 0; nil outside
    /// of it.
    public var entryIndex: Int? { storedIndex < 0 ? nil : Int(storedIndex) }

    /// Makes a location.
    public init(line: Int, column: Int, entryIndex: Int? = nil) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedIndex = entryIndex.map(Int32.init(clamping:)) ?? -1
    }

    /// The location in the form `line:column`.
    public var description: String { "\(line):\(column)" }
}
