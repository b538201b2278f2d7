// PatternSound: converts the traces of a picture to sound.

import HapticBridge
import HapticCompiler
import HapticPatterns
import ToolSupport

extension PatternTraces {
    /// The maximum length of a pattern that is converted to sound, in microseconds: half an hour.
    /// The length is limited because the memory for a sound, unlike that for a picture, increases
    /// with its length.
    private static let soundMax: Int64 = 1_800_000_000

    /// Throws a `ToolError` if a pattern is too long for a sound.
    static func checkSoundLength(of file: PatternFile) throws(ToolError) {
        guard file.renderedDuration > soundMax else { return }
        throw ToolError(
            .badData,
            "\(file.name): lasts \(file.renderedDuration.secondsText); a sound lasts up to "
                + soundMax.secondsText,
            advice: "split the file, or render it without --wav")
    }

    /// The pattern as a sound that is as long as the picture: the sound of the design or, for a
    /// compiled file, of the stream.
    var sound: WaveFile {
        let span =
            design.map { MixedSpan($0.intensity, scale: 1, $0.sharpness, $0.taps) }
            ?? MixedSpan(stream.level, scale: 255, stream.sharpness, stream.taps)
        var tone = PreviewTone(sampleRate: WaveFile.rate)
        let count = Int(length * Int64(WaveFile.rate) / 1_000_000)
        return WaveFile(samples: tone.render(span, from: 0, count: count))
    }
}

extension MixedSpan {
    /// Creates a span from traces.
    ///
    /// - Parameter scale: the value in the trace `level` that represents full level.
    fileprivate init(_ level: Trace, scale: Double, _ sharpness: [Trace], _ taps: [TapMark]) {
        self.init(
            taps: taps.map {
                VoiceTap(
                    time: $0.time, intensity: $0.strength, base: $0.strength,
                    sharpness: $0.sharpness, source: 0)
            }, pieces: [])
        var sharp = sharpness.flatMap { zip($0.points, $0.points.dropFirst()) }[...]
        for (point, next) in zip(level.points, level.points.dropFirst())
        where point.time < next.time {
            let line = Line(
                from: point.time, to: next.time, point.value / scale, next.value / scale)
            var start = point.time
            while start < next.time {
                while let first = sharp.first, first.1.time <= start { sharp.removeFirst() }
                let (from, to) = sharp.first.map { ($0.0.time, $0.1.time) } ?? (.max, .max)
                let isSharp = from <= start
                let end = min(next.time, isSharp ? to : from)
                let value = sharp.first.map { Line(from: from, to: to, $0.0.value, $0.1.value) }
                pieces.append(
                    MixedPiece(
                        start: start, end: end, level: line, sharpness: isSharp ? value : nil))
                start = end
            }
        }
    }
}
