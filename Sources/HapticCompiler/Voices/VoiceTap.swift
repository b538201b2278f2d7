// VoiceTap: a tap that a voice plays.

import HapticPatterns

/// A tap of a voice, with its exact time and intensity.
public struct VoiceTap: Sendable, Hashable {
    /// The time of the tap, in microseconds from the start of the stream.
    public var time: Microseconds
    /// The intensity, 0...1: ``base`` after the control has been applied.
    public var intensity: Double
    /// The intensity of the event before any control is applied, 0...1; never less than
    /// ``intensity``.
    public var base: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// The index of the event in the voice's pattern.
    public var source: Int
    /// The index of the voice that plays the tap, set by the compiler.
    var voice = 0

    /// Creates a tap.
    public init(
        time: Microseconds, intensity: Double, base: Double, sharpness: Double, source: Int
    ) {
        self.time = time
        self.intensity = intensity
        self.base = base
        self.sharpness = sharpness
        self.source = source
    }

    func played(by voice: Int) -> VoiceTap {
        var tap = self
        tap.voice = voice
        return tap
    }

    func earlier(by time: Microseconds) -> VoiceTap {
        var tap = self
        tap.time -= time
        return tap
    }

    /// Returns whether a tap precedes another tap. Taps are ordered by time. If taps are
    /// simultaneous, the tap of the later voice is the last tap and therefore takes precedence.
    /// Within a voice, stable sorting preserves the order of the file.
    static func precedes(_ left: VoiceTap, _ right: VoiceTap) -> Bool {
        (left.time, left.voice) < (right.time, right.voice)
    }
}
