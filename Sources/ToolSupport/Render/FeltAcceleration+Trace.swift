// FeltAcceleration+Trace: a predicted acceleration as a trace.

import Prediction

extension FeltAcceleration {
    /// Returns a trace of the acceleration in g until the time `end`, for a picture in which the
    /// stream begins at the time `origin`.
    package func trace(from origin: Int64, until end: Int64) -> Trace {
        var trace = Trace()
        let last = Int((end - origin) / Self.step)
        for interval in samples.intervals {
            // Each interval is represented by two points, one at each end.
            for index in [interval.range.lowerBound, interval.range.upperBound - 1] {
                guard min(index, last) >= interval.range.lowerBound else { return trace }
                trace.append(Int64(min(index, last)) * Self.step + origin, interval.value)
            }
        }
        return trace
    }
}
