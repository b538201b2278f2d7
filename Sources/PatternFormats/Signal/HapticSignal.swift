// HapticSignal: a pattern in the model of most formats: intensity and sharpness over time, and
// taps.

import HapticPatterns
import JSONText

/// A haptic signal for one actuator: its pieces and its taps.
package struct HapticSignal: Sendable, Equatable {
    /// A time interval in which intensity and sharpness change linearly.
    package struct Piece: Sendable, Equatable {
        /// The start, in microseconds.
        package var start: Microseconds
        /// The exclusive end, in microseconds.
        package var end: Microseconds
        /// The intensity at ``start``, 0...1.
        package var startIntensity: Double
        /// The intensity at ``end``, 0...1.
        package var endIntensity: Double
        /// The sharpness at ``start``, 0...1.
        package var startSharpness: Double
        /// The sharpness at ``end``, 0...1.
        package var endSharpness: Double

        /// Creates a piece.
        package init(
            from start: Microseconds, to end: Microseconds, intensity: (Double, Double),
            sharpness: (Double, Double)
        ) {
            self.start = start
            self.end = end
            (startIntensity, endIntensity) = intensity
            (startSharpness, endSharpness) = sharpness
        }

        /// True if neither intensity nor sharpness changes.
        package var isConstant: Bool {
            startIntensity == endIntensity && startSharpness == endSharpness
        }

        /// Returns the intensity at the given time.
        package func intensity(at time: Microseconds) -> Double {
            startIntensity + (endIntensity - startIntensity) * fraction(at: time)
        }

        /// Returns the sharpness at the given time.
        package func sharpness(at time: Microseconds) -> Double {
            startSharpness + (endSharpness - startSharpness) * fraction(at: time)
        }

        private func fraction(at time: Microseconds) -> Double {
            end > start ? Double(time - start) / Double(end - start) : 0
        }

        /// Returns the part of the piece between two times.
        func part(_ from: Microseconds, _ to: Microseconds) -> Piece {
            Piece(
                from: from, to: to, intensity: (intensity(at: from), intensity(at: to)),
                sharpness: (sharpness(at: from), sharpness(at: to)))
        }
    }

    /// A tap.
    package struct Tap: Sendable, Equatable {
        /// The time, in microseconds.
        package var time: Microseconds
        /// The intensity, 0...1.
        package var intensity: Double
        /// The sharpness, 0...1.
        package var sharpness: Double
        /// The location of the tap in its file; ignored by `==`.
        @NotCompared package var location: SourceLocation?

        /// Creates a tap.
        package init(
            time: Microseconds, intensity: Double, sharpness: Double,
            location: SourceLocation? = nil
        ) {
            self.time = time
            self.intensity = intensity
            self.sharpness = sharpness
            self.location = location
        }
    }

    /// The pieces in order of time, without overlaps. Gaps between the pieces are silent.
    package var pieces: [Piece]
    /// The taps in order of time.
    package var taps: [Tap]

    /// Creates a signal from pieces, which must be in order of time and must not overlap, and from
    /// taps in any order.
    package init(pieces: [Piece] = [], taps: [Tap] = []) {
        self.pieces = pieces.filter { $0.end > $0.start }
        self.taps = taps.sorted { $0.time < $1.time }
    }

    /// The end of the last piece or tap, in microseconds.
    package var end: Microseconds { max(pieces.last?.end ?? 0, taps.last?.time ?? 0) }
}
