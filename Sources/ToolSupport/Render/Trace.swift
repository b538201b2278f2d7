// Trace: a value over time, and its reduction to the columns of a picture.

/// Values at points in time, connected by straight lines. Two points at the same time represent a
/// jump.
package struct Trace {
    package struct Point: Equatable {
        /// The time since the start of the pattern, in microseconds.
        package var time: Int64
        package var value: Double
    }

    package var points: [Point] = []

    package init() {}

    package var greatest: Double { points.lazy.map(\.value).max() ?? 0 }
    package var least: Double { points.lazy.map(\.value).min() ?? 0 }

    /// Appends a point. A point that is equal to the last point is omitted. If three consecutive
    /// points have the same value, the second point is removed.
    package mutating func append(_ time: Int64, _ value: Double) {
        let point = Point(time: time, value: value)
        if points.last == point { return }
        if points.count >= 2, points.suffix(2).allSatisfy({ $0.value == value }) {
            points[points.count - 1] = point
        } else {
            points.append(point)
        }
    }

    /// Returns the points reduced for a picture. If the number of points is too large for the
    /// number of columns, only the first, minimum, maximum and last values of each column remain,
    /// in order of time.
    package func reduced(to columns: Int, of length: Int64) -> [Point] {
        guard points.count > 4 * columns, length > 0 else { return points }
        var result: [Point] = []
        var rest = points[...]
        while let first = rest.first {
            let column = Self.column(of: first.time, columns, length)
            let group = rest.prefix { Self.column(of: $0.time, columns, length) == column }
            rest = rest.dropFirst(group.count)
            let order = group.indices
            let least = order.min { group[$0].value < group[$1].value } ?? group.startIndex
            let greatest = order.max { group[$0].value < group[$1].value } ?? group.startIndex
            let shown = Set([group.startIndex, least, greatest, group.endIndex - 1])
            result += shown.sorted().map { group[$0] }
        }
        return result
    }

    /// Returns the maximum value in each column, including the straight lines between points; nil
    /// for columns outside the trace.
    package func peaks(in columns: Int, of length: Int64) -> [Double?] {
        var peaks = [Double?](repeating: nil, count: columns)
        func record(_ value: Double, _ column: Int) {
            peaks[column] = max(peaks[column] ?? value, value)
        }
        for (point, next) in zip(points, points.dropFirst() + points.suffix(1)) {
            let first = Self.column(of: point.time, columns, length)
            let last = Self.column(of: next.time, columns, length)
            record(point.value, first)
            guard last > first else { continue }
            let slope = (next.value - point.value) / Double(next.time - point.time)
            for column in (first + 1)...last {
                let edge = Int64(column) * length / Int64(columns)
                let value = point.value + slope * Double(max(0, edge - point.time))
                record(value, column)
                record(value, column - 1)
            }
        }
        return peaks
    }

    package static func column(of time: Int64, _ columns: Int, _ length: Int64) -> Int {
        min(columns - 1, max(0, Int(time * Int64(columns) / max(1, length))))
    }
}

/// A tap on a timeline.
package struct TapMark: Equatable {
    /// The time since the start of the pattern, in microseconds.
    package var time: Int64
    /// The strength of the tap, 0...1.
    package var strength: Double
    /// The sharpness of the tap, 0...1.
    package var sharpness: Double

    package init(time: Int64, strength: Double, sharpness: Double) {
        (self.time, self.strength, self.sharpness) = (time, strength, sharpness)
    }
}
