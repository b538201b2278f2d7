// Table: formats text in columns.

import JSONText

/// Rows of text, aligned in columns.
package struct Table {
    private var rows: [[String]]

    package init(_ header: [String]) { rows = [header] }
    package init() { rows = [] }

    package mutating func append(_ row: String...) { rows.append(row) }
    package mutating func append(_ row: [String]) { rows.append(row) }

    /// The rows as text, with two spaces between columns and no padding after the last column.
    package var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { Self.line($0, widths) }.joined(separator: "\n")
    }

    private static func line(_ row: [String], _ widths: [Int]) -> String {
        let padded = row.enumerated().map { index, cell in
            index == row.count - 1
                ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
        }
        return padded.joined(separator: "  ")
    }
}
