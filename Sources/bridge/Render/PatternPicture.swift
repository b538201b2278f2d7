// PatternPicture: draws all stages of a pattern, from the design to the acceleration, as one
// picture.

import HapticCompiler
import ToolSupport

/// The diagrams of a pattern over a common time axis.
struct PatternPicture {
    private let traces: PatternTraces
    private let title: String
    private let facts: String
    private let time: TimeAxis
    private var canvas: SVGCanvas
    /// The upper edge of the next diagram, in pixels.
    private var top = 92.0

    private static let width = 1_000.0
    private static let left = 56.0
    /// The gap between two diagrams in pixels, which contains the title of the lower diagram.
    private static let gap = 42.0
    private static let heights = (
        design: 130.0, sharpness: 80.0, stream: 110.0, drive: 90.0, frequency: 80.0, felt: 120.0
    )
    /// The maximum number of marked corners. If a trace has more corners, no corner is marked.
    private static let cornersMax = 150
    private static let titleMax = 80

    /// Returns the picture as an SVG document.
    ///
    /// - Parameter facts: the line of text below the title.
    static func svg(_ traces: PatternTraces, title: String, facts: String) -> String {
        var picture = PatternPicture(traces, title, facts)
        if let design = traces.design { picture.drawIntensity(design) }
        picture.drawSharpness()
        picture.drawStream()
        picture.drawDrive()
        picture.drawFrequency()
        picture.drawAcceleration()
        picture.drawTimes()
        return picture.canvas.document(title: "\(title): \(facts)")
    }

    private init(_ traces: PatternTraces, _ title: String, _ facts: String) {
        self.traces = traces
        self.title = title.count > Self.titleMax ? "…" + title.suffix(Self.titleMax - 1) : title
        self.facts = facts
        time = TimeAxis(
            left: Self.left, right: Self.width - 20, length: traces.length,
            origin: traces.origin)
        let heights = Self.heights
        let all = [
            traces.design == nil ? -Self.gap : heights.design, heights.sharpness, heights.stream,
            heights.drive, Self.hasFrequency(traces) ? heights.frequency : -Self.gap, heights.felt,
        ]
        canvas = SVGCanvas(
            width: Self.width, height: top + all.reduce(0) { $0 + $1 + Self.gap })
        canvas.text(self.title, at: .init(x: Self.left, y: 32), size: 18, isBold: true)
        canvas.text(facts, at: .init(x: Self.left, y: 54), .faint)
    }

    /// Adds the next diagram.
    private mutating func panel(
        _ title: String, _ range: ClosedRange<Double>, _ marks: [Double], _ height: Double,
        _ legend: [(String, Ink, Bool)]
    ) -> PicturePanel {
        let panel = PicturePanel(
            title: title, range: range, marks: marks, top: top, height: height, time: time,
            legend: legend.map { (name: $0.0, ink: $0.1, isDashed: $0.2) })
        top += height + Self.gap
        panel.drawFrame(on: &canvas)
        return panel
    }

    /// Draws taps as lines, with dots at the ends of the lines unless there are too many taps.
    private mutating func drawTaps(
        _ taps: [TapMark], scale: Double = 1, on panel: PicturePanel, id: String
    ) {
        var strongest: [Int: TapMark] = [:]
        for tap in taps {
            let column = Trace.column(of: tap.time, time.columns, time.length)
            if tap.strength >= strongest[column]?.strength ?? 0 { strongest[column] = tap }
        }
        let shown = strongest.sorted { $0.key < $1.key }.map(\.value)
        canvas.lines(
            shown.map { (panel.point($0.time, 0), panel.point($0.time, $0.strength * scale)) },
            .tap, id: id, width: 1.5)
        guard shown.count <= Self.cornersMax else { return }
        canvas.dots(shown.map { panel.point($0.time, $0.strength * scale) }, .tap, radius: 3)
    }
}

// MARK: The diagrams

extension PatternPicture {
    private static let laneCount = 3
    private static let laneHeight = 5.0
    private static let lanesHeight = 24.0

    private mutating func drawIntensity(_ design: PatternTraces.Design) {
        let lanes = design.spans.isEmpty ? 0 : Self.lanesHeight
        let panel = panel(
            "Intensity, as designed", 0...1, [0, 0.5, 1], Self.heights.design - lanes,
            (design.spans.isEmpty
                ? [] : [("level", .intensity, false), ("continuous events", .faint, false)])
                + tapLegend)
        if !design.spans.isEmpty {
            canvas.polyline(
                panel.points(design.intensity), .intensity, id: "designed-intensity", area: true)
        }
        drawTaps(design.taps, on: panel, id: "designed-taps")
        drawSpans(design.spans, below: panel.bottom + 6)
        top += lanes
    }

    private var tapLegend: [(String, Ink, Bool)] {
        traces.stream.taps.isEmpty && traces.design?.taps.isEmpty ?? true
            ? [] : [("tap", .tap, false)]
    }

    /// Draws each continuous event as a bar, in separate lanes if bars overlap. If no lane is free,
    /// a bar is drawn in the last lane.
    private mutating func drawSpans(_ spans: [EventSpan], below top: Double) {
        var bars: [(lane: Int, from: Double, to: Double)] = []
        var last = [Int?](repeating: nil, count: Self.laneCount)
        for span in spans {
            let from = time.x(of: span.start)
            let to = max(from + 1, time.x(of: min(span.end, time.length)) - 1)
            func isFree(_ lane: Int) -> Bool { last[lane].map { bars[$0].to < from } ?? true }
            let lane = (0..<Self.laneCount).first(where: isFree) ?? Self.laneCount - 1
            // Bars that are too close to be distinguished are drawn as one.
            if let index = last[lane], from - bars[index].to < 1.2, to - from < 3 || !isFree(lane) {
                bars[index].to = max(bars[index].to, to)
            } else {
                last[lane] = bars.count
                bars.append((lane, from, to))
            }
        }
        canvas.lines(
            bars.map { bar in
                let y = top + (Double(bar.lane) + 0.5) * (Self.laneHeight + 1)
                return (.init(x: bar.from, y: y), .init(x: bar.to, y: y))
            }, .faint, id: "continuous-events", width: Self.laneHeight)
    }

    private mutating func drawSharpness() {
        let designed = traces.design?.sharpness ?? []
        var legend: [(String, Ink, Bool)] = []
        if !designed.isEmpty { legend.append(("as designed", .sharpness, false)) }
        if !traces.stream.sharpness.isEmpty { legend.append(("in the stream", .stream, true)) }
        let panel = panel(
            "Sharpness", 0...1, [0, 0.5, 1], Self.heights.sharpness, legend + tapLegend)
        for trace in designed.reducedTogether(time) {
            canvas.polyline(panel.points(trace), .sharpness, width: 2.5)
        }
        for trace in traces.stream.sharpness.reducedTogether(time) {
            canvas.polyline(panel.points(trace), .stream, width: 1.2, isDashed: true)
        }
        let taps = traces.design?.taps ?? traces.stream.taps
        var columns: Set<Int> = []
        let shown = taps.filter {
            columns.insert(
                Trace.column(of: $0.time, time.columns / 2, time.length) * 64
                    + Int($0.sharpness * 63)
            ).inserted
        }
        canvas.dots(
            shown.map { panel.point($0.time, $0.sharpness) }, .tap,
            radius: shown.count <= Self.cornersMax ? 3 : 1.5)
    }

    private mutating func drawStream() {
        let level = traces.stream.level
        let isFlat = level.greatest == 0
        let panel = panel(
            "Event stream: ramps and taps", 0...255, [0, 128, 255], Self.heights.stream,
            (isFlat ? [] : [("level", .stream, false)]) + tapLegend)
        if !isFlat { canvas.polyline(panel.points(level), .stream, id: "stream-level") }
        if !isFlat, level.points.count <= Self.cornersMax {
            canvas.dots(level.points.map { panel.point($0.time, $0.value) }, .stream, radius: 2)
        }
        drawTaps(traces.stream.taps, scale: 255, on: panel, id: "stream-taps")
    }

    private mutating func drawDrive() {
        let drives = traces.actuators.map {
            ($0, $0.driveTrace(from: traces.origin, until: traces.length))
        }
        let isSigned = drives.contains { $0.1.least < 0 }
        let panel = panel(
            "Drive level on the bus", (isSigned ? -255 : 0)...255,
            (isSigned ? [-255.0] : []) + [0, 128, 255], Self.heights.drive,
            traces.actuators.map { ($0.name, $0.ink, $0.isDashed) })
        for (actuator, trace) in drives.reversed() {
            canvas.polyline(
                panel.points(trace), actuator.ink, id: "drive-\(actuator.name.lowercased())",
                isDashed: actuator.isDashed)
        }
    }

    private static func hasFrequency(_ traces: PatternTraces) -> Bool {
        traces.actuators.contains { $0.configuration.band != nil }
    }

    private mutating func drawFrequency() {
        guard Self.hasFrequency(traces) else { return }
        let marks = [80.0, 200, 400]
        let panel = panel(
            "Frequency of the drive in Hz", 0...406, marks, Self.heights.frequency,
            traces.actuators.map { ($0.name, $0.ink, $0.isDashed) })
        for actuator in traces.actuators {
            let frequencies = actuator.frequencyTraces(from: traces.origin, until: traces.length)
            for trace in frequencies.reducedTogether(time) {
                canvas.polyline(panel.points(trace), actuator.ink)
            }
        }
    }

    private mutating func drawAcceleration() {
        let felt = traces.actuators.map {
            ($0, $0.accelerationTrace(from: traces.origin, until: traces.length))
        }
        let measured = traces.measured
        let greatest = max(felt.map(\.1.greatest).max() ?? 0, measured?.greatest ?? 0)
        let step = [0.05, 0.1, 0.2, 0.5, 1].first { greatest / $0 <= 4 } ?? 2
        let count = max(1, (greatest / step).rounded(.up))
        let title =
            measured == nil
            ? "Acceleration in g, predicted by models of the actuators"
            : "Acceleration in g, predicted, and measured at this mounting"
        let panel = panel(
            title, 0...(count * step),
            (0...Int(count)).map { Double($0) * step }, Self.heights.felt,
            traces.actuators.map { ($0.name, $0.ink, false) }
                + (measured == nil ? [] : [("measured", .stream, false)]))
        for (actuator, trace) in felt {
            canvas.polyline(
                panel.points(trace), actuator.ink, id: "acceleration-\(actuator.name.lowercased())",
                area: true)
        }
        if let measured {
            canvas.polyline(panel.points(measured), .stream, id: "acceleration-measured")
        }
    }

    private mutating func drawTimes() {
        let y = top - Self.gap + 16
        for mark in time.marks {
            canvas.text(
                time.label(mark), at: .init(x: time.x(of: mark), y: y), .faint, anchor: .middle,
                size: 11)
        }
        canvas.text(
            time.title, at: .init(x: time.right, y: y + 16), .faint, anchor: .end, size: 11)
    }
}

extension ActuatorTraces {
    fileprivate var ink: Ink { configuration.kind == .erm ? .erm : .lra }
    fileprivate var isDashed: Bool { configuration.kind == .erm }
}

extension [Trace] {
    /// Joins traces that are too close to be distinguished, and returns the resulting traces.
    fileprivate func reducedTogether(_ time: TimeAxis) -> [Trace] {
        var result: [Trace] = []
        for trace in self {
            if let end = result.last?.points.last, let start = trace.points.first,
                time.x(of: start.time) - time.x(of: end.time) < 1.5
            {
                result[result.count - 1].points += trace.points
            } else {
                result.append(trace)
            }
        }
        return result
    }
}
