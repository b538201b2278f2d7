// The nearest value inside a range.

extension ClosedRange where Bound == Double {
    /// Returns the nearest value inside the range.
    package func clamp(_ value: Double) -> Double {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
