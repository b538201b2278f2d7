// PreviewTone: converts the haptic output to sound. It uses no I/O and no clock: it converts spans
// of taps and levels to samples.

import CMath
import HapticCompiler
import HapticPatterns

/// Converts levels and taps to samples of sound. A stronger output is louder, and a sharper output
/// has a higher pitch.
///
/// A level is rendered as a tone whose amplitude is the intensity and whose pitch depends on the
/// sharpness. A tap is rendered as a short click with a pitch that depends on the sharpness in the
/// same way. Consecutive spans are joined without clicks, because the phase of the tone continues.
public struct PreviewTone: Sendable {
    /// The number of samples per second.
    public let sampleRate: Int

    /// The pitch of sharpness 0, in hertz.
    public static let lowestPitch = 110.0
    /// The number of octaves between the pitches of sharpness 0 and 1.
    public static let octaves = 3.0

    /// The phase of the tone, as a fraction 0..<1 of a period.
    private var phase = 0.0
    /// The amplitude of the tone, which follows the level without jumps.
    private var amplitude = 0.0
    private var pitch = Self.lowestPitch
    private var click: Click?

    /// The time that the tone takes to rise from silence to full level, in seconds. A jump would be
    /// audible as a click.
    private static let riseTime = 0.002

    private struct Click {
        var intensity: Double
        var pitch: Double
        /// The number of samples since the tap.
        var age = 0

        /// The time that a click takes to fade to 37 %, in seconds.
        static let decay = 0.006
        /// The time after which a click is no longer audible, in seconds.
        static let length = 0.040
    }

    /// Creates a tone at rest.
    public init(sampleRate: Int = 48_000) { self.sampleRate = sampleRate }

    /// Returns the pitch of a sharpness, in hertz: 110 for 0 and 880 for 1.
    public static func pitch(ofSharpness sharpness: Double) -> Double {
        lowestPitch * math_pow(2, octaves * min(max(sharpness, 0), 1))
    }

    /// Returns the next samples, -1...1.
    ///
    /// - Parameters:
    ///   - span: the taps and levels in the interval of the samples. Intervals without a piece are
    ///     silent. The click of a tap whose time is before `start` begins immediately.
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
        // A fading tone keeps its pitch.
        if level > 0, let sharpness = piece?.sharpness {
            pitch = Self.pitch(ofSharpness: sharpness.value(at: time))
        }
        let tone = amplitude * math_sin(2 * .pi * phase)
        phase = amplitude == 0 ? 0 : (phase + pitch / Double(sampleRate)).rest
        return mix(tone)
    }

    /// Mixes the click with the tone. The tone is reduced by the strength of the click, so that the
    /// amplitude never exceeds 1.
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
        // The phase starts at a quarter of a period, so that the click begins with its maximum
        // value.
        let wave = math_sin(2 * .pi * (click.pitch * age + 0.25))
        return strength * wave + (1 - strength) * tone
    }
}

extension Double {
    /// The fractional part of a number that is at least 0.
    fileprivate var rest: Double { self - rounded(.down) }
}
