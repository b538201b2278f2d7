// PreviewTone: what would be felt, as sound. No I/O and no clock: spans of what plays come in,
// samples go out.

import CMath
import HapticCompiler
import HapticPatterns

/// Turns levels and taps into samples of sound: the louder, the stronger, and the higher, the
/// sharper.
///
/// A level is a tone, whose amplitude is the intensity and whose pitch follows the sharpness. A tap
/// is a short click of the same pitch. Spans that follow each other join without a crack, because
/// the tone goes on where it was.
public struct PreviewTone: Sendable {
    /// The number of samples per second.
    public let sampleRate: Int

    /// The pitch of the least sharpness, in hertz.
    public static let lowestPitch = 110.0
    /// The number of octaves by which the greatest sharpness is higher.
    public static let octaves = 3.0

    /// The phase of the tone, 0..<1 of a period.
    private var phase = 0.0
    /// The amplitude of the tone, which follows the level without jumps.
    private var amplitude = 0.0
    private var pitch = Self.lowestPitch
    private var click: Click?

    /// The time in which the tone rises from silence to full level, in seconds. A jump would crack.
    private static let riseTime = 0.002

    private struct Click {
        var intensity: Double
        var pitch: Double
        /// The number of samples since the tap.
        var age = 0

        /// The time in which a click fades to 37 %, in seconds.
        static let decay = 0.006
        /// The time after which a click cannot be heard any more, in seconds.
        static let length = 0.040
    }

    /// Makes a tone at rest.
    public init(sampleRate: Int = 48_000) { self.sampleRate = sampleRate }

    /// Returns the pitch of a sharpness, in hertz: 110 for 0 and 880 for 1.
    public static func pitch(ofSharpness sharpness: Double) -> Double {
        lowestPitch * math_pow(2, octaves * min(max(sharpness, 0), 1))
    }

    /// Returns the next samples, -1...1.
    ///
    /// - Parameters:
    ///   - span: what plays in the time of the samples. Where it has no piece, there is silence; a
    ///     tap before `start` clicks at once.
    ///   - start: the time of the first sample on the clock of the span, in microseconds.
    ///   - count: the number of samples.
    public mutating func render(
        _ span: MixedSpan, from start: Microseconds, count: Int
    ) -> [Float] {
        var taps = span.taps[...]
        var pieces = span.pieces[...]
        return (0..<count).map { index in
            let time = start + Microseconds(index) * 1_000_000 / Microseconds(sampleRate)
            while let tap = taps.first, tap.time <= time {
                click = Click(
                    intensity: tap.intensity, pitch: Self.pitch(ofSharpness: tap.sharpness))
                taps.removeFirst()
            }
            while let piece = pieces.first, piece.end <= time { pieces.removeFirst() }
            let piece = pieces.first.flatMap { $0.start <= time ? $0 : nil }
            return Float(nextSample(of: piece, at: time))
        }
    }

    private mutating func nextSample(of piece: MixedPiece?, at time: Microseconds) -> Double {
        let level = piece.map { min(max($0.level.value(at: time), 0), 1) } ?? 0
        let step = 1 / (Self.riseTime * Double(sampleRate))
        amplitude += min(max(level - amplitude, -step), step)
        // What fades keeps its pitch.
        if level > 0, let sharpness = piece?.sharpness {
            pitch = Self.pitch(ofSharpness: sharpness.value(at: time))
        }
        let tone = amplitude * math_sin(2 * .pi * phase)
        phase = amplitude == 0 ? 0 : (phase + pitch / Double(sampleRate)).rest
        return mix(tone)
    }

    /// Plays the click in place of as much of the tone as it is strong, so that both together are
    /// never louder than 1.
    private mutating func mix(_ tone: Double) -> Double {
        guard var click else { return tone }
        let age = Double(click.age) / Double(sampleRate)
        guard age < Click.length else {
            self.click = nil
            return tone
        }
        click.age += 1
        self.click = click
        let strength = click.intensity * math_exp(-age / Click.decay)
        // A quarter of a period ahead, so that the click begins with its greatest value.
        let wave = math_sin(2 * .pi * (click.pitch * age + 0.25))
        return strength * wave + (1 - strength) * tone
    }
}

extension Double {
    /// The part behind the point of a number that is at least 0.
    fileprivate var rest: Double { self - rounded(.down) }
}
