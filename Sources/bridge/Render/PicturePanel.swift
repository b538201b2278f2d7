// PicturePanel: one diagram of a picture, with its value range, axis and legend.

import ToolSupport

/// A diagram over the common time axis of a picture.
struct PicturePanel {
    let title: String
    /// The values at the lower and the upper edge of the diagram.
    let range: ClosedRange<Double>
    /// The values that are marked with a line and a label.
    let marks: [Double]
    /// The position of the upper edge, in pixels.
    let top: Double
    let height: Double
    let time: TimeAxis
    var legend: [(name: String, ink: Ink, isDashed: Bool)] = []

    var bottom: Double { top + height }

    func point(_ time: Int64, _ value: Double) -> SVGCanvas.Point {
        let fraction = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        return SVGCanvas.Point(x: self.time.x(of: time), y: bottom - height * fraction)
    }

    func points(_ trace: Trace) -> [SVGCanvas.Point] {
        trace.reduced(to: time.columns, of: time.length).map { point($0.time, $0.value) }
    }

    /// Draws the title, legend, grid and labels.
    func drawFrame(on canvas: inout SVGCanvas) {
        canvas.text(title, at: .init(x: time.left, y: top - 8), isBold: true)
        drawLegend(on: &canvas)
        canvas.lines(
            marks.map { (point(0, $0), point(time.length, $0)) }
                + time.marks.map { (point($0, range.lowerBound), point($0, range.upperBound)) },
            .grid)
        for mark in marks {
            let point = point(0, mark)
            canvas.text(
                Self.label(mark), at: .init(x: point.x - 8, y: point.y + 4), .faint, anchor: .end,
                size: 11)
        }
    }

    /// Draws the legend from right to left. Each entry contains a sample of its line.
    private func drawLegend(on canvas: inout SVGCanvas) {
        let y = top - 12
        var right = time.right
        for entry in legend.reversed() {
            // The width is computed for the widest of the listed fonts, so that nothing overlaps.
            let start = right - Double(entry.name.count) * 6.2 - 6
            canvas.text(entry.name, at: .init(x: start, y: y + 4), .faint, size: 11)
            canvas.polyline(
                [.init(x: start - 26, y: y), .init(x: start - 6, y: y)], entry.ink, width: 2.5,
                isDashed: entry.isDashed)
            right = start - 40
        }
    }

    private static func label(_ value: Double) -> String {
        value == value.rounded() ? value.text(decimals: 0) : SVGCanvas.number(value)
    }
}

/// The common time axis of all diagrams in a picture.
struct TimeAxis {
    /// The position of the left edge, in pixels.
    let left: Double
    let right: Double
    /// The length of the axis, in microseconds.
    let length: Int64
    /// The time at which the pattern begins, which is labeled 0.
    var origin: Int64 = 0
    /// The maximum number of marks, not including the mark at 0.
    var marksMax = 12

    /// The number of columns of pixels available for drawing.
    var columns: Int { Int(right - left) }

    func x(of time: Int64) -> Double {
        left + (right - left) * Double(time) / Double(length)
    }

    /// The interval between two marks, in microseconds: 1, 2 or 5 times a power of ten. The
    /// smallest interval with at most `marksMax` marks is used.
    var step: Int64 {
        var power: Int64 = 1
        while length / (power * 10) > Int64(marksMax) { power *= 10 }
        return [1, 2, 5, 10].lazy.map { $0 * power }.first { length / $0 <= Int64(marksMax) }
            ?? length
    }

    var marks: [Int64] { Array(stride(from: origin % step, through: length, by: Int(step))) }

    /// True if labels are in milliseconds rather than seconds.
    private var isShort: Bool { length < 2_000_000 }

    /// Returns the label of a mark, without its unit.
    func label(_ time: Int64) -> String {
        let value = Double(time - origin) / (isShort ? 1e3 : 1e6)
        return value == value.rounded() ? value.text(decimals: 0) : value.text(decimals: 1)
    }

    var title: String { isShort ? "time, ms" : "time, s" }
}
