// OutputBars: what would be felt, as two bars of text.

/// Bars of a level and a sharpness, made of characters, always of the same width.
public struct OutputBars: Sendable {
    /// The number of characters of each bar.
    public let width: Int
    /// The level, 0...1.
    public var level: Double
    /// The sharpness, 0...1.
    public var sharpness: Double

    /// Makes bars.
    public init(level: Double, sharpness: Double, width: Int) {
        (self.level, self.sharpness, self.width) = (level, sharpness, width)
    }

    /// The time between two drawings of bars in a terminal, in microseconds.
    public static let interval: Int64 = 40_000
    /// The characters from one eighth to a whole one.
    private static let blocks = Array("▏▎▍▌▋▊▉█")

    /// The bar of the level: filled from the left.
    public var levelBar: String { Self.bar(level, width: width) }

    /// The bar of the sharpness: a mark between round on the left and sharp on the right; empty in
    /// silence, which has no sharpness.
    public var sharpnessBar: String {
        guard level > 0 else { return String(repeating: "·", count: width) }
        let place = Int((min(max(sharpness, 0), 1) * Double(width - 1)).rounded())
        let (left, right) = (place, width - 1 - place)
        return String(repeating: "·", count: left) + "◆" + String(repeating: "·", count: right)
    }

    /// Returns a bar that is filled from the left.
    ///
    /// - Parameter share: the filled part, 0...1.
    public static func bar(_ share: Double, width: Int) -> String {
        let eighths = Int(min(max(share, 0), 1) * Double(width * 8))
        let rest = eighths % 8 == 0 ? "" : String(blocks[eighths % 8 - 1])
        let filled = String(repeating: "█", count: eighths / 8) + rest
        return filled + String(repeating: " ", count: width - filled.count)
    }
}
