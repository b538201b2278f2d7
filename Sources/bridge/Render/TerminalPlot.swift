// TerminalPlot: plots a pattern with block characters in the terminal.

import ToolSupport

/// Diagrams that consist of characters. Each column shows the maximum value in a time interval.
struct TerminalPlot {
    private let traces: PatternTraces
    private let columns: Int
    private let colour: (String, Terminal.Colour) -> String

    /// The number of characters to the left of the diagrams: the longest name, and a value.
    private let gutter: Int
    private static let columnsMin = 20
    private static let blocks: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Creates the diagrams of a pattern.
    ///
    /// - Parameters:
    ///   - width: the number of characters per line.
    ///   - colour: a closure that returns a text in a color, or the text unchanged.
    init(
        _ traces: PatternTraces, width: Int,
        colour: @escaping (String, Terminal.Colour) -> String = { text, _ in text }
    ) {
        self.traces = traces
        gutter = 12 + max(3, traces.actuators.map(\.name.count).max() ?? 0)
        columns = max(Self.columnsMin, width - gutter - 1)
        self.colour = colour
    }

    /// All rows of the diagrams, without a line feed at the end.
    var text: String {
        var rows: [String] = []
        if let design = traces.design {
            rows += diagram(
                "intensity", "1", 4, .blue, peaks([design.intensity], design.taps, \.strength))
            rows += diagram(
                "sharpness", "1", 2, .yellow, peaks(design.sharpness, design.taps, \.sharpness))
        }
        let level = peaks([traces.stream.level], [], \.strength).map { $0.map { $0 / 255 } }
        let taps = peaks([], traces.stream.taps, \.strength)
        rows += diagram("stream", "255", 3, .green, zip(level, taps).map(Self.greater))
        for actuator in traces.actuators {
            let frequencies = actuator.frequencyTraces(from: traces.origin, until: traces.length)
            guard let highest = frequencies.map(\.greatest).max() else { continue }
            rows += diagram(
                "frequency", highest.text(decimals: 0) + " Hz", 2, .yellow,
                peaks(frequencies, [], \.strength).map { $0.map { $0 / highest } })
        }
        let felt = traces.actuators.map {
            $0.accelerationTrace(from: traces.origin, until: traces.length)
        }
        let all = felt + [traces.measured].compactMap(\.self)
        let greatest = max(all.map(\.greatest).max() ?? 0, 0.01)
        for (actuator, trace) in zip(traces.actuators, felt) {
            let isERM = actuator.configuration.kind == .erm
            rows += diagram(
                actuator.name, greatest.text(decimals: 2) + " g", 3, isERM ? .yellow : .blue,
                peaks([trace], [], \.strength).map { $0.map { $0 / greatest } })
        }
        if let measured = traces.measured {
            rows += diagram(
                "sensor", greatest.text(decimals: 2) + " g", 3, .green,
                peaks([measured], [], \.strength).map { $0.map { $0 / greatest } })
        }
        return (rows + timeLine).map(Self.trimmed).joined(separator: "\n")
    }

    private func peaks(
        _ traces: [Trace], _ taps: [TapMark], _ value: KeyPath<TapMark, Double>
    ) -> [Double?] {
        var peaks = [Double?](repeating: nil, count: columns)
        for trace in traces {
            peaks = zip(peaks, trace.peaks(in: columns, of: self.traces.length)).map(Self.greater)
        }
        for tap in taps {
            let column = Trace.column(of: tap.time, columns, self.traces.length)
            peaks[column] = max(peaks[column] ?? 0, tap[keyPath: value])
        }
        return peaks
    }

    private static func greater(_ one: Double?, _ other: Double?) -> Double? {
        guard let one, let other else { return one ?? other }
        return max(one, other)
    }

    /// Returns the rows of one diagram.
    ///
    /// - Parameter values: the value of each column, 0...1; nil for an empty column.
    private func diagram(
        _ name: String, _ top: String, _ height: Int, _ ink: Terminal.Colour, _ values: [Double?]
    ) -> [String] {
        let eighths = values.map { value in
            guard let value else { return 0 }
            // Every value above 0 is visible, even if it is small.
            let least = name == "sharpness" || value > 0.002 ? 1 : 0
            return max(least, Int((value * Double(height * 8)).rounded()))
        }
        return (0..<height).map { row in
            let below = (height - 1 - row) * 8
            let cells = String(eighths.map { Self.blocks[min(8, max(0, $0 - below))] })
            let title = row == 0 ? name : ""
            let mark = row == 0 ? top : row == height - 1 ? "0" : ""
            let padding = gutter - 2 - title.count - mark.count
            return title + String(repeating: " ", count: padding) + mark
                + (mark.isEmpty ? " │" : " ┤") + colour(Self.trimmed(cells), ink)
        }
    }

    /// The time axis and its labels.
    private var timeLine: [String] {
        let axis = TimeAxis(
            left: 0, right: Double(columns), length: traces.length, origin: traces.origin,
            marksMax: columns / 10)
        var line = [Character](repeating: "─", count: columns)
        var labels = [Character](repeating: " ", count: gutter + columns + axis.title.count)
        var free = 0
        for mark in axis.marks {
            let column = min(columns - 1, Int(axis.x(of: mark)))
            line[column] = "┬"
            let text = Array(axis.label(mark))
            let start = gutter + column - (text.count - 1) / 2
            guard start >= free, start + text.count <= labels.count else { continue }
            labels.replaceSubrange(start..<(start + text.count), with: text)
            free = start + text.count + 1
        }
        let title = Array(axis.title)
        labels.replaceSubrange(0..<title.count, with: title)
        return [
            String(repeating: " ", count: gutter - 1) + "└" + String(line), String(labels),
        ]
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
