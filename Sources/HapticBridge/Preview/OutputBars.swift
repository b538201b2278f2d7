// OutputBars: the level and the sharpness of the output as two bars of text.

/// Two bars of characters that show a level and a sharpness side by side on a line.
public struct OutputBars: Sendable {
    /// The width of the level bar in characters, 0...24.
    public let levelWidth: Int
    /// The width of the sharpness bar in characters, 0...12; 0 if there is not enough space.
    public let sharpnessWidth: Int
    /// The level, 0...1.
    public var level: Double
    /// The sharpness, 0...1.
    public var sharpness: Double

    /// The full width of both bars and the gap between them, in characters.
    public static let fullWidth = 38
    /// The minimum width for both bars, in characters.
    public static let leastWidth = 8
    private static let gap = "  "

    /// Creates bars.
    ///
    /// - Parameters:
    ///   - level: the level, 0...1.
    ///   - sharpness: the sharpness, 0...1.
    ///   - columns: the available width of the line, in characters.
    public init(level: Double, sharpness: Double, columns: Int) {
        (self.level, self.sharpness) = (level, sharpness)
        let columns = min(max(columns, 0), Self.fullWidth)
        let bars = columns - Self.gap.count
        sharpnessWidth = columns < Self.leastWidth ? 0 : bars / 3
        levelWidth = columns < Self.leastWidth ? columns : bars - sharpnessWidth
    }

    /// The redraw interval of the bars in a terminal, in microseconds.
    public static let interval: Int64 = 40_000
    /// The characters that are filled to one eighth, two eighths and so on, up to eight eighths.
    private static let blocks = Array("▏▎▍▌▋▊▉█")

    /// The level bar, which is filled from the left.
    public var levelBar: String { Self.bar(level, width: levelWidth) }

    /// The sharpness bar. The position of a mark in the bar shows the sharpness, from dull on the
    /// left to sharp on the right. The bar is empty at level 0.
    public var sharpnessBar: String {
        guard level > 0, sharpnessWidth > 0 else {
            return String(repeating: "·", count: sharpnessWidth)
        }
        let index = Int((min(max(sharpness, 0), 1) * Double(sharpnessWidth - 1)).rounded())
        let (left, right) = (index, sharpnessWidth - 1 - index)
        return String(repeating: "·", count: left) + "◆" + String(repeating: "·", count: right)
    }

    /// Both bars in one line.
    public var line: String {
        sharpnessWidth > 0 ? levelBar + Self.gap + sharpnessBar : levelBar
    }

    /// Returns a bar that is filled from the left.
    ///
    /// - Parameters:
    ///   - fraction: the filled fraction, 0...1.
    ///   - width: the number of characters of the whole bar.
    public static func bar(_ fraction: Double, width: Int) -> String {
        let eighths = Int(min(max(fraction, 0), 1) * Double(width * 8))
        let rest = eighths % 8 == 0 ? "" : String(blocks[eighths % 8 - 1])
        let filled = String(repeating: "█", count: eighths / 8) + rest
        return filled + String(repeating: " ", count: width - filled.count)
    }
}
