// ControlCurve: a dynamic parameter or a parameter curve in the form from which timelines are built.

/// A dynamic parameter or a parameter curve of a pattern. A parameter is a curve with one control
/// point.
public struct ControlCurve: Sendable, Equatable {
    /// The parameter that the curve changes.
    public let id: DynamicParameterID
    /// The time of the first control point, in microseconds from the start of the pattern.
    public let start: Microseconds
    /// The value of the first control point.
    public let value: Double
    /// The control points after the first, in ascending order of time. Their times are relative to
    /// the start of the *pattern*.
    public let rest: [HapticParameterCurve.Point]

    /// Creates a curve, or a parameter if there are no other control points.
    public init(
        _ id: DynamicParameterID, start: Microseconds, value: Double,
        rest: [HapticParameterCurve.Point] = []
    ) {
        (self.id, self.start, self.value, self.rest) = (id, start, value, rest)
    }

    /// Creates a curve from all of its control points; nil if there are no control points.
    fileprivate init?(_ curve: HapticParameterCurve) {
        guard let first = curve.points.first else { return nil }
        self.init(
            curve.id, start: curve.time + first.time, value: first.value,
            rest: curve.points.dropFirst().map {
                .init(time: curve.time + $0.time, value: $0.value)
            })
    }
}

extension HapticPattern {
    /// The parameters and curves in ascending order of their starts. A curve follows the parameters
    /// that start at the same time, and therefore overrides them.
    public var controls: [ControlCurve] {
        (parameters.map { ControlCurve($0.id, start: $0.time, value: $0.value) }
            + curves.compactMap(ControlCurve.init)).inOrder
    }
}

extension [ControlCurve] {
    /// The curves in ascending order of their starts. Curves that start at the same time remain in
    /// their order.
    public var inOrder: Self { sorted { $0.start < $1.start } }
}
