// VoiceCoilTone: renders taps and levels as the samples of a voice coil. It performs no I/O and has
// no clock.

import CMath
import HapticCompiler
import HapticPatterns

/// The samples of one voice coil, rendered window by window.
///
/// A level is a sine with a continuous phase. Changes of the level and of the sharpness are spread
/// over 4 ms, so that no edge is a click. A tap is a burst of one and a half periods. The burst
/// begins at the first frame at or after the time of the tap.
struct VoiceCoilTone: Sendable {
    private let coils: VoiceCoils
    private var limit: OutputLimit
    private var level = SmoothedValue()
    private var sharpness = SmoothedValue()
    /// The sharpness to which ``sharpness`` changes. The target does not change in silence.
    private var target = 0.0
    /// The phase of the sine, as a fraction 0..<1 of a period.
    private var phase = 0.0
    /// The sharpness whose frequency and equalization were computed last, and the results.
    private var tuned = (sharpness: -1.0, frequency: 0.0, equalization: 0.0)
    /// The taps that begin in a later window.
    private var pending: [VoiceTap] = []
    private var bursts: [TapBurst] = []

    /// The maximum number of bursts that sound at a time. More taps would not be felt as taps.
    private static let burstsMax = 16

    init(_ coils: VoiceCoils) {
        self.coils = coils
        limit = OutputLimit(coils.maximumDuration)
    }

    /// True if the output was ended because it lasted too long, and the pattern has not paused.
    var isLimited: Bool { limit.isReached }

    /// Fades out the taps that are sounding, and discards those that have not begun.
    mutating func release() {
        pending = []
        for index in bursts.indices { bursts[index].release() }
    }

    /// Returns the samples of a window, within the maximum level.
    ///
    /// - Parameters:
    ///   - span: the taps and levels since the previous window, in host time. A tap before the
    ///     window begins immediately.
    ///   - gain: the factor for all intensities, 0...1.
    mutating func render(_ span: MixedSpan, in window: SoundWindow, gain: Double) -> [Float] {
        pending += span.taps
        var pieces = span.pieces[...]
        return (0..<window.count).map { index in
            // Spans begin and end at whole microseconds.
            let time = Microseconds(window.time(of: index).rounded(.up))
            while let tap = pending.first, tap.time <= time {
                begin(tap, gain)
                pending.removeFirst()
            }
            while let piece = pieces.first, piece.end <= time { pieces.removeFirst() }
            let piece = pieces.first.flatMap { $0.start <= time ? $0 : nil }
            return Float(coils.maximumAmplitude * nextSample(of: piece, at: time, gain))
        }
    }

    private mutating func begin(_ tap: VoiceTap, _ gain: Double) {
        let intensity = min(max(tap.intensity, 0), 1) * gain
        guard intensity > 0 else { return }
        guard !limit.isReached else { return limit.hold() }
        guard bursts.count < Self.burstsMax else { return }
        let frequency = coils.frequency(ofSharpness: tap.sharpness)
        bursts.append(
            TapBurst(
                intensity: intensity, equalization: coils.equalization(at: frequency),
                frequency: frequency))
    }

    /// Returns the next sample, -1...1, before the maximum level is applied.
    private mutating func nextSample(
        of piece: MixedPiece?, at time: Microseconds, _ gain: Double
    ) -> Double {
        let wanted = piece.map { min(max($0.level.value(at: time), 0), 1) * gain } ?? 0
        limit.advance(isSounding: wanted > 0 || !bursts.isEmpty)
        if wanted > 0, let sharpness = piece?.sharpness { target = sharpness.value(at: time) }
        // After silence, the tone begins at its target frequency without a transition.
        if level.isZero { sharpness.jump(to: target) }
        tune(to: sharpness.next(target))
        let amplitude = level.next(limit.isReached ? 0 : wanted)
        var sample = amplitude * tuned.equalization * math_sin(2 * .pi * phase)
        phase += tuned.frequency / Double(SoundVoice.frameRate)
        phase = amplitude == 0 ? 0 : phase - phase.rounded(.down)
        for index in bursts.indices { sample = bursts[index].mix(with: sample) }
        bursts.removeAll { $0.hasEnded }
        return sample
    }

    private mutating func tune(to sharpness: Double) {
        guard sharpness != tuned.sharpness else { return }
        let frequency = coils.frequency(ofSharpness: sharpness)
        tuned = (sharpness, frequency, coils.equalization(at: frequency))
    }
}

/// A tap that is sounding: one and a half periods of a sine, with raised-cosine edges.
private struct TapBurst {
    let intensity: Double
    let equalization: Double
    let frequency: Double
    /// The length of the burst, in frames.
    private let length: Int
    /// The length of each edge of the burst, in frames.
    private let edge: Int
    private var age = 0
    /// The number of remaining frames of a fade that ends the burst early; nil if the burst does
    /// not end early.
    private var fade: Int?

    /// The maximum number of frames of an edge: 3 ms.
    private static let edgeMax = 144

    init(intensity: Double, equalization: Double, frequency: Double) {
        (self.intensity, self.equalization) = (intensity, equalization)
        self.frequency = frequency
        length = Int((1.5 * Double(SoundVoice.frameRate) / frequency).rounded())
        edge = min(Self.edgeMax, length / 2)
    }

    var hasEnded: Bool { age >= length || fade == 0 }

    mutating func release() { fade = fade ?? Self.edgeMax }

    /// Mixes the next sample with a sample of the tone and of earlier taps. The tone and the
    /// earlier taps are reduced by the intensity of the tap, so that the amplitude never exceeds 1.
    mutating func mix(with other: Double) -> Double {
        var strength = intensity * Self.edge(at: min(age, length - 1 - age), of: edge)
        if let fade {
            strength *= Self.edge(at: fade - 1, of: Self.edgeMax)
            self.fade = fade - 1
        }
        let wave = math_sin(2 * .pi * frequency * Double(age) / Double(SoundVoice.frameRate))
        age += 1
        return strength * equalization * wave + (1 - strength) * other
    }

    /// Returns the height of a raised-cosine edge, 0...1, at a frame.
    private static func edge(at frame: Int, of count: Int) -> Double {
        guard frame < count else { return 1 }
        return 0.5 - 0.5 * math_cos(.pi * (Double(frame) + 0.5) / Double(count))
    }
}

/// A value whose changes are spread over 4 ms by two moving averages. A jump becomes an S-shaped
/// curve, and the value is exact afterwards.
private struct SmoothedValue {
    private var first = MovingSum(count: Self.length)
    private var second = MovingSum(count: Self.length)

    /// The length of each average, in frames: 2 ms.
    private static let length = 96
    /// The resolution of a value. Sums of whole numbers have no rounding errors.
    private static let scale = Double(1 << 30)

    /// Changes the value without a transition.
    mutating func jump(to value: Double) {
        let value = Int64((value * Self.scale).rounded())
        guard second.total != value * Int64(Self.length * Self.length) else { return }
        first.fill(with: value)
        second.fill(with: first.total)
    }

    /// True if the value has been 0 for 4 ms.
    var isZero: Bool { first.total == 0 && second.total == 0 }

    mutating func next(_ value: Double) -> Double {
        first.add(Int64((value * Self.scale).rounded()))
        second.add(first.total)
        return Double(second.total) / (Self.scale * Double(Self.length * Self.length))
    }
}

private struct MovingSum {
    private(set) var total: Int64 = 0
    private var values: [Int64]
    private var next = 0

    init(count: Int) { values = [Int64](repeating: 0, count: count) }

    mutating func fill(with value: Int64) {
        for index in values.indices { values[index] = value }
        total = value * Int64(values.count)
    }

    mutating func add(_ value: Int64) {
        total += value - values[next]
        values[next] = value
        next = next + 1 == values.count ? 0 : next + 1
    }
}

/// The limit of the duration of output without a pause.
private struct OutputLimit {
    private let framesMax: Int
    private static let pauseFrames = VoiceCoils.pause.frames
    /// The number of frames with output since the last pause, and of frames since the last output.
    private var sounding = 0
    private var silent = 0

    init(_ duration: Duration) { framesMax = duration.frames }

    var isReached: Bool { sounding >= framesMax }

    mutating func advance(isSounding: Bool) {
        guard !isSounding else {
            (sounding, silent) = (sounding + 1, 0)
            return
        }
        silent += 1
        if silent >= Self.pauseFrames { sounding = 0 }
    }

    /// Records output that the limit has suppressed, so that the suppressed output does not count
    /// as a pause.
    mutating func hold() { silent = 0 }
}

extension Duration {
    /// The number of frames in the duration.
    fileprivate var frames: Int {
        Int((self / .seconds(1) * Double(SoundVoice.frameRate)).rounded())
    }
}
