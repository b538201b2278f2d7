// The compiler: voices in, segments of the event stream out, window by window.

public import AHAP

/// Choices that change what a pattern means or how voices mix.
public struct CompilerOptions: Sendable, Equatable {
    /// Which events a sharpness curve changes.
    public var sharpnessCurves: SharpnessCurveProfile
    /// How long the adjusters of an envelope last.
    public var envelopeTiming: EnvelopeTiming
    /// What is felt where layers overlap.
    public var mixPolicy: MixPolicy

    /// Makes options; the defaults are Apple's documentation, our envelope constants, loudest wins.
    public init(
        sharpnessCurves: SharpnessCurveProfile = .appleDoc,
        envelopeTiming: EnvelopeTiming = .standard, mixPolicy: MixPolicy = .loudest
    ) {
        self.sharpnessCurves = sharpnessCurves
        self.envelopeTiming = envelopeTiming
        self.mixPolicy = mixPolicy
    }
}

/// A piece of the stream: what one call of the compiler could settle.
public struct EventSegment: Sendable, Equatable {
    /// Event code (SPEC 7) that continues the bytes of the segments before.
    public var bytes: [UInt8]
    /// The events that became final. If the compiler is live their bytes may come with a later
    /// segment, else they come with their bytes.
    public var events: [StreamEvent]
    /// Whether the stream ends with this segment: it holds END, and none follows.
    public var hasEnded: Bool

    /// Makes a segment; by default an empty one.
    public init(bytes: [UInt8] = [], events: [StreamEvent] = [], hasEnded: Bool = false) {
        self.bytes = bytes
        self.events = events
        self.hasEnded = hasEnded
    }
}

/// Compiles voices for one actuator, a window of time after the other.
///
/// Each call renders the next window with the state carried over: ramps that cross windows stay
/// whole, and the bytes do not depend on how time was cut. An event leaves when nothing that is
/// yet to be rendered can come before it.
public struct HapticCompiler: Sendable {
    /// What the device can render.
    public let profile: DeviceProfile
    /// How far was rendered, in microseconds from the start of the stream.
    public private(set) var position: Microseconds = 0

    private var voices: [any Voice]
    private var mixer: Mixer
    private var stream: StreamAssembler

    /// Makes a compiler at time 0 of its voices.
    ///
    /// - Parameter isLive: whether events leave with the window that they were rendered in, each with
    ///   the nearest values. Otherwise they are held back until it is known how they take the fewest
    ///   bytes, and their values are any within 2 of 255 (levels, intensities) and 4 (sharpnesses).
    public init(
        profile: DeviceProfile = .reference, mixPolicy: MixPolicy = .loudest, voices: [any Voice],
        isLive: Bool = false
    ) {
        self.profile = profile
        self.voices = voices
        self.mixer = Mixer(policy: mixPolicy)
        self.stream = StreamAssembler(profile: profile, isLive: isLive)
    }

    /// Renders the next window and returns what became final.
    ///
    /// - Parameter duration: the length of the window in microseconds, above 0.
    /// - Returns: the segment. When every voice is over before the window's end it holds END, and
    ///   calls after that return empty segments.
    public mutating func nextSegment(duration: Microseconds) -> EventSegment {
        precondition(duration > 0, "a window of \(duration) microseconds")
        guard !stream.hasEnded else { return EventSegment(hasEnded: true) }
        let window = position..<(position + duration)
        var taps: [VoiceTap] = []
        var pieces: [LayerPiece] = []
        for index in voices.indices {
            let span = voices[index].render(until: window.upperBound)
            taps += span.taps.lazy.map { $0.played(by: index) }
            pieces += span.pieces
        }
        stream.append(taps: taps.sorted(by: VoiceTap.precedes))
        for piece in mixer.mix(pieces, in: window) { stream.append(piece) }
        position = window.upperBound
        if let end = endOfVoices, end < position {
            stream.finish(at: end, rendered: position)
        } else {
            stream.advance(to: position)
        }
        return stream.takeSegment()
    }

    /// The tick before which no event is to come any more: a stream may wait until then.
    public var horizon: Ticks { stream.horizon }

    /// When the last voice is over; nil while one has no end.
    private var endOfVoices: Microseconds? {
        var latest: Microseconds = 0
        for voice in voices {
            guard let end = voice.end else { return nil }
            latest = max(latest, end)
        }
        return latest
    }
}
