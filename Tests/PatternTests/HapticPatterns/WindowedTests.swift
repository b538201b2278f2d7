// Tests of the minimum and the maximum in a window around each value in a series, including the
// values at the ends of the series.

import HapticPatterns
import Testing

@Suite struct WindowedTests {
    @Test(
        arguments: [
            (0, [0.0, 0, 5], [0.0, 0, 5]),
            (1, [0, 0, 5], [0, 5, 5]),
            (1, [5, 0, 0, 0], [5, 5, 0, 0]),
            (1, [1, 0, 0, 0, 2, 0, 3], [1, 1, 0, 2, 2, 3, 3]),
            (2, [0, 0, 0, 7], [0, 7, 7, 7]),
            (3, [1, 2], [2, 2]),
            (1, [4], [4]),
            (1, [], []),
        ] as [(Int, [Double], [Double])])
    func aWindowEndsWithTheSeries(_ reach: Int, _ values: [Double], _ greatest: [Double]) {
        #expect(values.windowed(reach, by: max) == greatest)
    }

    @Test func theMinimumIsThatOfTheWindow() {
        #expect([3.0, 1, 2, 4, 5].windowed(1, by: min) == [1, 1, 1, 2, 4])
    }
}
