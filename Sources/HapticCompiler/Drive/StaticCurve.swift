// StaticCurve: converts the levels of a pattern to the drive that is needed to maintain these
// levels.

import HapticPatterns

/// The inverse of the static curve of an actuator, applied to straight lines.
///
/// The acceleration of a motor is proportional to the square of its speed, so a straight line of
/// intensity requires a curved drive. The curve is approximated by chords between fixed
/// intensities. A chord deviates from the curve by at most a sixth of a just-noticeable difference.
struct StaticCurve: Sendable {
    let plant: Plant

    /// The intensity below which nothing can be felt, so the actuator is not driven.
    static let leastFelt = 1.0 / 64
    /// The fixed intensities at which lines are divided.
    private static let corners: [Double] = [leastFelt, 0.03125, 0.0625, 0.125, 0.25, 0.5]

    /// Returns the drive level that maintains an intensity; 0 if the intensity cannot be felt.
    func level(for intensity: Double) -> Double {
        intensity < Self.leastFelt ? 0 : plant.level(holding: plant.state(for: intensity))
    }

    /// Returns the pieces of drive that maintain the intensities of the given piece.
    func pieces(for piece: MixedPiece) -> [MixedPiece] {
        guard plant.kind == .erm || plant.ratedLevel < 1 else { return [piece] }
        let line = piece.level
        guard !line.isConstant else {
            let level = level(for: line.startValue)
            return [driven(piece, piece.start, piece.end, Line(from: 0, to: .max, level, level))]
        }
        let (low, high) = (
            min(line.startValue, line.endValue), max(line.startValue, line.endValue)
        )
        var times = Self.corners.filter { low < $0 && $0 < high }.map { line.time(of: $0) }
        times = ([line.start, line.end] + times).sorted()
        return zip(times, times.dropFirst()).compactMap { start, end in
            let (first, last) = (max(start, piece.start), min(end, piece.end))
            guard first < last else { return nil }
            return driven(piece, first, last, chord(of: line, from: start, to: end))
        }
    }

    /// Returns the chord of drive for a part of a straight line of intensity. The part must not
    /// pass a corner.
    private func chord(of line: Line, from start: Microseconds, to end: Microseconds) -> Line {
        let (first, last) = (line.value(at: start), line.value(at: end))
        // Because times are rounded to a microsecond, the part may extend slightly beyond a corner.
        guard (first + last) / 2 >= Self.leastFelt else { return .silence }
        return Line(
            from: start, to: end, level(for: max(first, Self.leastFelt)),
            level(for: max(last, Self.leastFelt)))
    }

    private func driven(
        _ piece: MixedPiece, _ start: Microseconds, _ end: Microseconds, _ level: Line
    ) -> MixedPiece {
        MixedPiece(start: start, end: end, level: level, sharpness: piece.sharpness)
    }
}

extension Line {
    /// Returns the time at which a line that is not constant passes a value.
    func time(of value: Double) -> Microseconds {
        start + Microseconds(((value - startValue) / slope).rounded())
    }
}
