// ClosedRange+Clamp: limits a value to a range.

extension ClosedRange where Bound == Double {
    /// Returns the value in the range that is nearest to a given value.
    package func clamp(_ value: Double) -> Double {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
