// Wave: the cosine and the sine of a phase.

import CMath

/// The cosine and the sine of a phase.
struct Wave {
    var cosine: Double
    var sine: Double

    /// Creates the values for a phase in turns.
    init(turns: Double) {
        let angle = 2 * .pi * (turns - turns.rounded())
        (cosine, sine) = (math_cos(angle), math_sin(angle))
    }

    /// Creates the values whose ratio is the ratio of two numbers. If both numbers are 0, creates
    /// the values of phase 0.
    init(direction x: Double, _ y: Double) {
        let length = (x * x + y * y).squareRoot()
        (cosine, sine) = length > 0 ? (x / length, y / length) : (1, 0)
    }

    /// Returns the values for a phase that is greater by an angle in radians.
    func turned(by angle: Double) -> Wave {
        let (c, s) = (math_cos(angle), math_sin(angle))
        var turned = self
        (turned.cosine, turned.sine) = (cosine * c - sine * s, sine * c + cosine * s)
        return turned
    }
}
