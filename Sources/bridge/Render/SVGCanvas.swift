// SVGCanvas: draws simple shapes as SVG 1.1 that is legible on light and dark backgrounds.

import ToolSupport

/// The colors of a picture. Viewers that ignore style sheets show the light colors on the light
/// background of the picture.
enum Ink: String, CaseIterable {
    case paper, text, faint, grid, intensity, sharpness, tap, stream, lra, erm

    /// The color on a white background. Color-blind people can distinguish the colors of the
    /// palette (Okabe and Ito 2008).
    var light: String {
        switch self {
        case .paper: "#ffffff"
        case .text: "#1c1c1e"
        case .faint: "#5f6368"
        case .grid: "#dfe1e5"
        case .intensity: "#0072b2"
        case .sharpness: "#8a5cb8"
        case .tap: "#d55e00"
        case .stream: "#00735c"
        case .lra: "#0072b2"
        case .erm: "#c27a00"
        }
    }

    /// The color on a black background.
    var dark: String {
        switch self {
        case .paper: "#17181a"
        case .text: "#f1f1f2"
        case .faint: "#a9adb3"
        case .grid: "#3a3d41"
        case .intensity: "#56b4e9"
        case .sharpness: "#c9a3ee"
        case .tap: "#ff9248"
        case .stream: "#3fd0ad"
        case .lra: "#56b4e9"
        case .erm: "#f0b13c"
        }
    }
}

/// An SVG document that shapes are added to. Positions are in pixels from the upper left corner.
struct SVGCanvas {
    private var elements: [String] = []
    let width: Double
    let height: Double

    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    enum Anchor: String { case start, middle, end }

    init(width: Double, height: Double) {
        (self.width, self.height) = (width, height)
    }

    /// Returns the complete document, scalable to any size.
    ///
    /// - Parameters:
    ///   - title: the title of the document, which screen readers read aloud.
    func document(title: String) -> String {
        let size = "\(Self.number(width)) \(Self.number(height))"
        let dark = Ink.allCases.map { ink in
            ".s-\(ink.rawValue){stroke:\(ink.dark)}.f-\(ink.rawValue){fill:\(ink.dark)}"
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.number(width))" \
            height="\(Self.number(height))" viewBox="0 0 \(size)" role="img" \
            font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="12" \
            stroke-linejoin="round">
            <title>\(Self.escaped(title))</title>
            <style>@media (prefers-color-scheme: dark){\(dark.joined())}</style>
            <rect width="100%" height="100%" \(Self.fill(.paper))/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    mutating func text(
        _ text: String, at point: Point, _ ink: Ink = .text, anchor: Anchor = .start,
        size: Double = 12, isBold: Bool = false
    ) {
        elements.append(
            "<text x=\"\(Self.number(point.x))\" y=\"\(Self.number(point.y))\" \(Self.fill(ink))"
                + (anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\"")
                + (size == 12 ? "" : " font-size=\"\(Self.number(size))\"")
                + (isBold ? " font-weight=\"bold\"" : "") + ">\(Self.escaped(text))</text>")
    }

    /// Draws a polyline through points. With `area`, the area between the polyline and the straight
    /// line between its ends is tinted.
    mutating func polyline(
        _ points: [Point], _ ink: Ink, id: String? = nil, width: Double? = nil,
        isDashed: Bool = false, area: Bool = false
    ) {
        guard points.count > 1 else { return }
        // The line is thinner if it has more points than the picture has columns of pixels.
        let width = width ?? (Double(points.count) > self.width ? 1 : 1.5)
        let list = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        elements.append(
            "<polyline" + (id.map { " id=\"\($0)\"" } ?? "")
                + " \(Self.stroke(ink, fill: area ? ink : nil, width, isDashed))"
                + (area ? " fill-opacity=\"0.16\"" : "")
                + " points=\"\(list.joined(separator: " "))\"/>")
    }

    /// Draws vertical and horizontal lines as one element.
    mutating func lines(
        _ lines: [(from: Point, to: Point)], _ ink: Ink, id: String? = nil, width: Double = 1
    ) {
        guard !lines.isEmpty else { return }
        let path = lines.map { line in
            "M\(Self.number(line.from.x)) \(Self.number(line.from.y))"
                + (line.from.x == line.to.x
                    ? "V\(Self.number(line.to.y))" : "H\(Self.number(line.to.x))")
        }
        elements.append(
            "<path" + (id.map { " id=\"\($0)\"" } ?? "")
                + " \(Self.stroke(ink, fill: nil, width, false))"
                + " d=\"\(path.joined())\"/>")
    }

    mutating func dots(_ points: [Point], _ ink: Ink, radius: Double = 2.5) {
        guard !points.isEmpty else { return }
        // A zero-length line with round ends appears as a dot.
        let path = points.map { "M\(Self.number($0.x)) \(Self.number($0.y))h0" }
        elements.append(
            "<path stroke-linecap=\"round\" \(Self.stroke(ink, fill: nil, 2 * radius, false))"
                + " d=\"\(path.joined())\"/>")
    }

    private static func fill(_ ink: Ink) -> String {
        "class=\"f-\(ink.rawValue)\" fill=\"\(ink.light)\""
    }

    private static func stroke(_ ink: Ink, fill: Ink?, _ width: Double, _ isDashed: Bool) -> String
    {
        let filling = fill.map { " f-\($0.rawValue)\" fill=\"\($0.light)\"" } ?? "\" fill=\"none\""
        return "class=\"s-\(ink.rawValue)\(filling) stroke=\"\(ink.light)\""
            + " stroke-width=\"\(number(width))\"" + (isDashed ? " stroke-dasharray=\"5 3\"" : "")
    }

    /// Returns a number rounded to a tenth of a pixel.
    static func number(_ value: Double) -> String {
        let text = value.text(decimals: 1)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns the text with markup escaped. Characters that XML 1.0 does not allow become U+FFFD.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{20}"..."\u{7E}", "\u{A0}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}",
                "\u{10000}"..."\u{10FFFF}":
                result.unicodeScalars.append(scalar)
            default: result += "\u{FFFD}"
            }
        }
        return result
    }
}
