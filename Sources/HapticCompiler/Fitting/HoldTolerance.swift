// HoldTolerance: the range of values that are acceptable in place of a held value.

/// The range of values that are acceptable in place of a held value.
struct HoldTolerance: Sendable {
    /// The maximum distance from the held value, in wire units.
    var distance: Double
    /// True if 0 must remain 0 and other values must not become 0.
    var keepsSilence: Bool

    /// The tolerance of levels: 2 of 255, minus a margin for rounding.
    static let level = HoldTolerance(distance: 1.9, keepsSilence: true)
    /// The tolerance of sharpnesses: 2 of 127 (4 of 255), minus a margin for rounding.
    static let sharpness = HoldTolerance(distance: 3.9, keepsSilence: false)

    func range(for value: Double) -> ClosedRange<UInt8> {
        let nearest = value.nearestWireValue
        let low = UInt8(min(max((value - distance).rounded(.up), 0), Double(nearest)))
        let high = UInt8(max(min((value + distance).rounded(.down), 255), Double(nearest)))
        guard keepsSilence else { return low...high }
        return nearest == 0 ? 0...0 : max(low, 1)...high
    }
}
