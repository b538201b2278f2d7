// Windowed: minima or maxima over a window around each value.

extension [Double] {
    /// Returns, for each value, the result of a function such as `min` over all values up to a
    /// distance from it. The running time is linear in the number of values.
    package func windowed(
        _ reach: Int, by choose: (Double, Double) -> Double
    ) -> [Double] {
        // Each window consists of the end of one block and the start of the next one.
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
            return choose(backward[first], forward[last])
        }
    }
}
