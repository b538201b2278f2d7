// BandDrive: converts intensity and sharpness to the drive of an actuator that has a band.

import CMath
import HapticPatterns

/// The drive of an actuator whose frequency follows the sharpness (SPEC 8.9).
///
/// In the stream, the sharpness represents a period: the device interpolates linearly between the
/// periods at the ends of the band. Levels are equalized, so that an intensity is equally strong at
/// every frequency of ``FrequencyBand/range`` except near its ends, where the actuator may be too
/// weak for the highest intensities.
package struct BandDrive: Sendable, Equatable {
    let band: FrequencyBand
    /// The gain at the weakest frequency at which the actuator must reach intensity 1. The frequencies
    /// below 1.25 times the lower end of the band, and above 0.8 times its upper end, are excluded,
    /// because many actuators are weak near the ends of their band. If no frequency would remain, the
    /// whole band counts.
    package let leastGain: Double

    /// The ratio of the highest frequency that counts to the upper end of the band, and of the lower
    /// end of the band to the lowest frequency that counts.
    private static let margin = 0.8

    package init(_ band: FrequencyBand) {
        self.band = band
        let (low, high) = (band.range.lowerBound / Self.margin, band.range.upperBound * Self.margin)
        leastGain = band.leastGain(in: low < high ? low...high : band.range)
    }

    /// Returns the drive for an intensity at the frequency of a sharpness. The drive exceeds 1 if
    /// the intensity at that frequency would require more than the maximum voltage.
    func unlimitedDrive(_ intensity: Double, sharpness: Double) -> Double {
        intensity * leastGain / band.gain(at: band.frequency(ofSharpness: sharpness))
    }

    /// Half of a level step. The device halves each level and rounds it down, because the register
    /// has seven bits (SPEC 6.2). Adding half a step compensates for the average loss.
    private static let rounding = 0.5 / 255

    private func drive(_ intensity: Double, _ sharpness: Double) -> Double {
        let drive = unlimitedDrive(intensity, sharpness: sharpness)
        return drive > 0 ? min(drive + Self.rounding, 1) : 0
    }

    /// Returns the intensity and the sharpness that a drive and a sharpness in the stream render: the
    /// inverse of ``unlimitedDrive(_:sharpness:)`` and ``FrequencyBand/streamSharpness(of:)``.
    func designed(
        _ drive: Double, _ streamSharpness: Double
    ) -> (intensity: Double, sharpness: Double) {
        let frequency = band.frequency(ofStreamSharpness: streamSharpness)
        return (
            intensity(ofDrive: drive, at: frequency), band.sharpness(ofFrequency: frequency)
        )
    }

    /// Returns the intensity that a drive renders at a frequency, in the unit of the drive.
    package func intensity(ofDrive drive: Double, at frequency: Double) -> Double {
        drive * band.gain(at: frequency) / leastGain
    }

    /// Returns the difference between the frequencies of two sharpnesses of a pattern, 0...255, in
    /// just-noticeable differences of the frequency of `wanted`. The absolute law defines this
    /// frequency even if it is outside the band.
    func jnd(sharpness: Double, for wanted: Double) -> Double {
        let frequency =
            band.law == .absolute
            ? SharpnessFrequency.hertz(ofSharpness: wanted / 255)
            : band.frequency(ofSharpness: wanted / 255)
        let difference = abs(band.frequency(ofSharpness: sharpness / 255) - frequency)
        return difference / (Fidelity.frequencyWeber * frequency)
    }

    /// Returns the tap that the device plays for a tap of the pattern.
    func tap(_ tap: VoiceTap) -> VoiceTap {
        var played = tap
        played.intensity = drive(tap.intensity, tap.sharpness)
        played.base = drive(tap.base, tap.sharpness)
        played.sharpness = band.streamSharpness(of: tap.sharpness)
        return played
    }

    /// Returns the pieces that the device plays for a piece of the pattern.
    ///
    /// Lines become curves, which are approximated by chords. The ends of the chords depend only on
    /// the lines, so that the result does not depend on the division of a pattern into windows.
    func pieces(for piece: MixedPiece) -> [MixedPiece] {
        guard let sharpness = piece.sharpness else { return [piece] }
        let ends = (corners(of: sharpness) + corners(of: piece.level))
            .filter { piece.start < $0 && $0 < piece.end }
        let times = ([piece.start, piece.end] + ends).sorted()
        return zip(times, times.dropFirst()).filter { $0 < $1 }.map { start, end in
            driven(piece, sharpness, start, end)
        }
    }

    /// The maximum number of chords of a line. A chord then deviates from a curve over the widest
    /// band by less than a tenth of a just-noticeable difference.
    private static let chordsMax: Microseconds = 32
    /// The minimum length of a chord, in microseconds: the length of one step of a ramp (SPEC 6.1).
    private static let chordLength: Microseconds = 5_000

    /// Returns the times at which a line is divided.
    private func corners(of line: Line) -> [Microseconds] {
        guard !line.isConstant else { return [] }
        let length = line.end - line.start
        let count = min(max(length / Self.chordLength, 1), Self.chordsMax)
        return (0...count).map { line.start + length * $0 / count }
    }

    /// Returns the start and the end of the chord that covers an interval of a line.
    private func chord(of line: Line, containing time: Microseconds) -> ClosedRange<Microseconds>? {
        let corners = corners(of: line)
        guard let next = corners.firstIndex(where: { $0 > time }), next > 0 else { return nil }
        return corners[next - 1]...corners[next]
    }

    private func driven(
        _ piece: MixedPiece, _ sharpness: Line, _ start: Microseconds, _ end: Microseconds
    ) -> MixedPiece {
        // The chord covers the whole interval between the corners of both lines, even if the piece
        // covers only a part of it.
        let spans = [
            chord(of: sharpness, containing: start), chord(of: piece.level, containing: start),
        ]
        .compactMap { $0 }
        guard let from = spans.map({ $0.lowerBound }).max(),
            let to = spans.map({ $0.upperBound }).min(), from < to
        else {
            let (level, sharpness) = (piece.level.value(at: start), sharpness.value(at: start))
            return MixedPiece(
                start: start, end: end, level: .constant(drive(level, sharpness)),
                sharpness: .constant(band.streamSharpness(of: sharpness)))
        }
        func line(_ value: (Microseconds) -> Double) -> Line {
            Line(from: from, to: to, value(from), value(to))
        }
        return MixedPiece(
            start: start, end: end,
            level: line { drive(piece.level.value(at: $0), sharpness.value(at: $0)) },
            sharpness: line { band.streamSharpness(of: sharpness.value(at: $0)) })
    }
}
