// LeastSquares: nonlinear least squares with few parameters.

/// The parameters for which the sum of squared residuals is least, by the method of Gauss and Newton
/// with the damping of Levenberg and Marquardt.
struct LeastSquares {
    /// The parameters.
    private(set) var parameters: [Double]
    /// The standard uncertainty of each parameter, from the scatter of the residuals.
    private(set) var uncertainties: [Double] = []
    /// The sum of the squared residuals.
    private(set) var sum: Double

    private static let steps = 20
    private static let dampings = 6

    /// Searches for the least sum, beginning at the given parameters.
    ///
    /// - Parameters:
    ///   - steps: the step of each parameter that is small enough for its derivative.
    ///   - residuals: a closure that returns the residuals; nil if the parameters are impossible.
    /// - Returns: nil if the first parameters are impossible, or if a parameter has no effect.
    init?(
        from start: [Double], steps: [Double], _ residuals: ([Double]) -> [Double]?
    ) {
        guard var present = residuals(start) else { return nil }
        (parameters, sum) = (start, Self.square(of: present))
        var damping = 1e-3
        for _ in 0..<Self.steps {
            guard let slopes = Self.slopes(at: parameters, steps, residuals) else { return nil }
            var isLower = false
            let before = sum
            for _ in 0..<Self.dampings where !isLower {
                var equations = NormalEquations(slopes, present)
                equations.damp(damping)
                guard let change = equations.solution() else { return nil }
                let moved = zip(parameters, zip(change, steps)).map { $0 - $1.0 * $1.1 }
                if let next = residuals(moved), Self.square(of: next) < sum {
                    (parameters, present, sum) = (moved, next, Self.square(of: next))
                    isLower = true
                    damping = max(damping / 6, 1e-6)
                } else {
                    damping *= 6
                }
            }
            if !isLower || before - sum < 1e-6 * before { break }
        }
        guard let slopes = Self.slopes(at: parameters, steps, residuals),
            let variances = NormalEquations(slopes, present).inverseDiagonal()
        else { return nil }
        let scatter = sum / Double(max(present.count - start.count, 1))
        uncertainties = zip(variances, steps).map { ($0 * scatter).squareRoot() * $1 }
    }

    private static func square(of residuals: [Double]) -> Double {
        residuals.reduce(0) { $0 + $1 * $1 }
    }

    /// Returns the change of the residuals for a step of each parameter.
    private static func slopes(
        at parameters: [Double], _ steps: [Double], _ residuals: ([Double]) -> [Double]?
    ) -> [[Double]]? {
        var slopes: [[Double]] = []
        for index in parameters.indices {
            var (low, high) = (parameters, parameters)
            low[index] -= steps[index]
            high[index] += steps[index]
            guard let before = residuals(low), let after = residuals(high) else { return nil }
            slopes.append(zip(before, after).map { ($1 - $0) / 2 })
        }
        return slopes
    }
}

/// The normal equations of a linear least squares problem.
private struct NormalEquations {
    private var matrix: [[Double]]
    private let right: [Double]

    init(_ slopes: [[Double]], _ residuals: [Double]) {
        func product(_ one: [Double], _ other: [Double]) -> Double {
            zip(one, other).reduce(0) { $0 + $1.0 * $1.1 }
        }
        matrix = slopes.map { row in slopes.map { product(row, $0) } }
        right = slopes.map { product($0, residuals) }
    }

    mutating func damp(_ damping: Double) {
        for index in matrix.indices { matrix[index][index] *= 1 + damping }
    }

    /// Returns the solution; nil if the matrix is singular.
    func solution() -> [Double]? { solution(of: right) }

    /// Returns the diagonal of the inverse matrix; nil if the matrix is singular.
    func inverseDiagonal() -> [Double]? {
        var diagonal: [Double] = []
        for index in matrix.indices {
            var unit = [Double](repeating: 0, count: matrix.count)
            unit[index] = 1
            guard let column = solution(of: unit) else { return nil }
            diagonal.append(column[index])
        }
        return diagonal
    }

    /// Solves the equations by elimination. The matrix is symmetric and positive, so no pivoting is
    /// necessary.
    private func solution(of right: [Double]) -> [Double]? {
        var (matrix, right) = (matrix, right)
        let count = right.count
        for pivot in 0..<count {
            guard matrix[pivot][pivot] > 1e-12 * self.matrix[pivot][pivot] else { return nil }
            for row in pivot + 1..<max(count, pivot + 1) {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in pivot..<count {
                    matrix[row][column] -= factor * matrix[pivot][column]
                }
                right[row] -= factor * right[pivot]
            }
        }
        for row in (0..<count).reversed() {
            for column in row + 1..<max(count, row + 1) {
                right[row] -= matrix[row][column] * right[column]
            }
            right[row] /= matrix[row][row]
        }
        return right
    }
}
