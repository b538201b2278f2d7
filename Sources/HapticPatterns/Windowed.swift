// Windowed: the minimum or maximum of a window around each value of a series.

extension [Double] {
    /// Applies a function such as `min` to the window around each value and returns the results. A
    /// window contains all values up to a given distance from its center. The running time is
    /// linear in the number of values.
    package func windowed(
        _ reach: Int, by choose: (Double, Double) -> Double
    ) -> [Double] {
        // Each window consists of the end of one block and the beginning of the next block. At the
        // ends of the series, a window consists of only one of these two parts.
        let width = 2 * reach + 1
        var (forward, backward) = (self, self)
        for index in indices where index % width != 0 {
            forward[index] = choose(forward[index - 1], self[index])
        }
        for index in indices.dropLast().reversed() where (index + 1) % width != 0 {
            backward[index] = choose(backward[index + 1], self[index])
        }
        return indices.map { index in
            let (first, last) = (Swift.max(0, index - reach), Swift.min(count - 1, index + reach))
            if first / width == last / width {
                return first % width == 0 ? forward[last] : backward[first]
            }
            return choose(backward[first], forward[last])
        }
    }
}
