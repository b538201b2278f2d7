// OutputBars: what would be felt, as two bars of text.

/// Bars of a level and a sharpness, made of characters, side by side on a line.
public struct OutputBars: Sendable {
    /// The number of characters of the bar of the level, 0...24.
    public let levelWidth: Int
    /// The number of characters of the bar of the sharpness, 0...12; 0 where there is no room.
    public let sharpnessWidth: Int
    /// The level, 0...1.
    public var level: Double
    /// The sharpness, 0...1.
    public var sharpness: Double

    /// The number of characters of both bars and the gap between them, where there is room.
    public static let fullWidth = 38
    /// The number of characters from which on there is room for both bars.
    public static let leastWidth = 8
    private static let gap = "  "

    /// Makes bars.
    ///
    /// - Parameters:
    ///   - level: the level, 0...1.
    ///   - sharpness: the sharpness, 0...1.
    ///   - columns: the room on the line, in characters.
    public init(level: Double, sharpness: Double, columns: Int) {
        (self.level, self.sharpness) = (level, sharpness)
        let columns = min(max(columns, 0), Self.fullWidth)
        let bars = columns - Self.gap.count
        sharpnessWidth = columns < Self.leastWidth ? 0 : bars / 3
        levelWidth = columns < Self.leastWidth ? columns : bars - sharpnessWidth
    }

    /// The time between two drawings of bars in a terminal, in microseconds.
    public static let interval: Int64 = 40_000
    /// The characters from one eighth to a whole one.
    private static let blocks = Array("▏▎▍▌▋▊▉█")

    /// The bar of the level: filled from the left.
    public var levelBar: String { Self.bar(level, width: levelWidth) }

    /// The bar of the sharpness: a mark between round on the left and sharp on the right; empty in
    /// silence, which has no sharpness.
    public var sharpnessBar: String {
        guard level > 0, sharpnessWidth > 0 else {
            return String(repeating: "·", count: sharpnessWidth)
        }
        let place = Int((min(max(sharpness, 0), 1) * Double(sharpnessWidth - 1)).rounded())
        let (left, right) = (place, sharpnessWidth - 1 - place)
        return String(repeating: "·", count: left) + "◆" + String(repeating: "·", count: right)
    }

    /// Both bars on a line.
    public var line: String {
        sharpnessWidth > 0 ? levelBar + Self.gap + sharpnessBar : levelBar
    }

    /// Returns a bar that is filled from the left.
    ///
    /// - Parameters:
    ///   - share: the filled part, 0...1.
    ///   - width: the number of characters of the whole bar.
    public static func bar(_ share: Double, width: Int) -> String {
        let eighths = Int(min(max(share, 0), 1) * Double(width * 8))
        let rest = eighths % 8 == 0 ? "" : String(blocks[eighths % 8 - 1])
        let filled = String(repeating: "█", count: eighths / 8) + rest
        return filled + String(repeating: " ", count: width - filled.count)
    }
}
