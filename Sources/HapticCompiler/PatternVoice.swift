// One pattern as a voice: what an AHAP file sounds like, by the rendering rules of Core Haptics.

public import AHAP

/// Plays a pattern once, from its start.
///
/// The rules (Core Haptics' documentation; where it is silent, our choice):
/// - a transient takes intensity and sharpness from its controls at its onset, once;
/// - a continuous event follows its controls: intensity × control × envelope, sharpness + control,
///   each limited to 0...1;
/// - a sharpness control changes transients only under `SharpnessCurveProfile.observed`.
public struct PatternVoice: Voice {
    /// What becomes of events without an end.
    public enum EndlessEvents: Sendable {
        /// They sound on, and the voice has no end.
        case unlimited
        /// They end ``PatternVoice/endlessLimit`` after their start, or with the pattern if that
        /// is later.
        case limited
    }

    /// How long an endless event sounds when it is limited, in microseconds: 30 s, the longest
    /// continuous event that Core Haptics documents.
    public static let endlessLimit: Microseconds = 30_000_000

    /// When the last event, its release tail and the pattern are over; nil if some event has no
    /// end.
    public private(set) var end: Microseconds?

    private let events: [HapticEvent]
    private var controls: PatternControls
    private let length: Microseconds
    /// Which continuous event is felt when.
    private var loudest: [LoudestSpan] = []
    /// Where the next window begins.
    private var position: Microseconds = 0
    /// The first event that has not begun.
    private var next = 0
    /// The first of the spans that are not over.
    private var nextSpan = 0

    /// Makes a voice at the start of a pattern. Takes O(n log n) for n events and control points.
    ///
    /// - Parameter length: how long the pattern lasts at least, in microseconds; by default its own
    ///   length, which its curves count in.
    public init(
        _ pattern: HapticPattern, options: CompilerOptions = CompilerOptions(),
        endless: EndlessEvents = .unlimited, length: Microseconds? = nil
    ) {
        events = pattern.events
        self.length = length ?? pattern.length
        controls = PatternControls(
            of: pattern, options: options, endless: endless, patternEnd: self.length)
        layOutEvents()
    }

    /// Goes on under other parameters and curves, from where it is. Takes no time for the events unless
    /// the new ones change how long they sound.
    public mutating func replaceControls(
        parameters: [HapticDynamicParameter], curves: [HapticParameterCurve]
    ) {
        let before = controls
        controls = PatternControls(
            of: HapticPattern(parameters: parameters, curves: curves), options: before.options,
            endless: before.endless, patternEnd: length)
        guard !controls.hasSameEnvelopes(as: before) else { return }
        layOutEvents()
        nextSpan = 0
        skip(to: position)
    }

    private mutating func layOutEvents() {
        var latest = length
        var spans = LoudestSpans()
        for (index, event) in events.enumerated() where event.type == .hapticContinuous {
            let shape = ContinuousShape(of: event, source: index, controls: controls)
            latest = max(latest, shape.end)
            spans.append(shape)
        }
        end = latest == .max ? nil : latest
        loudest = spans.finish()
    }

    public mutating func render(until time: Microseconds) -> VoiceSpan {
        let window = position..<max(time, position)
        let span = VoiceSpan(taps: taps(before: time), pieces: pieces(in: window))
        skip(to: window.upperBound)
        return span
    }

    /// Goes on to a time without playing what lies before it. Events that reach over it sound on.
    ///
    /// - Parameter time: in microseconds from the start of the stream; an earlier one changes nothing.
    public mutating func skip(to time: Microseconds) {
        while next < events.count, events[next].time < time { next += 1 }
        while nextSpan < loudest.count, loudest[nextSpan].end <= time { nextSpan += 1 }
        position = max(position, time)
    }

    private func taps(before time: Microseconds) -> [VoiceTap] {
        var taps: [VoiceTap] = []
        for (index, event) in events[next...].enumerated() {
            guard event.time < time else { break }
            if event.type == .hapticTransient {
                taps.append(controls.tap(event, source: next + index))
            }
        }
        return taps
    }

    private func pieces(in window: Range<Microseconds>) -> [LayerPiece] {
        var pieces: [LayerPiece] = []
        for span in loudest[nextSpan...] {
            guard span.start < window.upperBound else { break }
            span.appendPieces(of: events[span.source], in: window, controls, to: &pieces)
        }
        return pieces
    }
}

/// The controls of a pattern over time, and what they make of its events.
struct PatternControls: Sendable {
    let options: CompilerOptions
    let intensity: ControlTimeline
    let sharpness: ControlTimeline
    private let attack: ControlTimeline
    private let decay: ControlTimeline
    private let release: ControlTimeline
    let endless: PatternVoice.EndlessEvents
    private let patternEnd: Microseconds

    /// - Parameter patternEnd: when the pattern is over at least; by default its own length.
    init(
        of pattern: HapticPattern, options: CompilerOptions, endless: PatternVoice.EndlessEvents,
        patternEnd: Microseconds? = nil
    ) {
        self.options = options
        self.endless = endless
        self.patternEnd = patternEnd ?? pattern.length
        intensity = ControlTimeline(.hapticIntensityControl, of: pattern)
        sharpness = ControlTimeline(.hapticSharpnessControl, of: pattern)
        attack = ControlTimeline(.hapticAttackTimeControl, of: pattern)
        decay = ControlTimeline(.hapticDecayTimeControl, of: pattern)
        release = ControlTimeline(.hapticReleaseTimeControl, of: pattern)
    }

    /// Whether all events sound as long as under other controls.
    func hasSameEnvelopes(as other: PatternControls) -> Bool {
        attack == other.attack && decay == other.decay && release == other.release
    }

    /// A transient as a tap.
    func tap(_ event: HapticEvent, source: Int) -> VoiceTap {
        let gain = intensity.value(at: event.time)
        let shift =
            options.sharpnessCurves.changesTransients
            ? sharpness.value(at: event.time) : sharpness.id.defaultValue
        return VoiceTap(
            time: event.time, intensity: intensity.id.combine(event.intensity, with: gain),
            base: event.intensity, sharpness: sharpness.id.combine(event.sharpness, with: shift),
            source: source)
    }

    /// When an event without an end begins its release; `Microseconds.max` for never.
    func endlessEnd(of event: HapticEvent) -> Microseconds {
        switch endless {
        case .unlimited: .max
        case .limited: max(event.time + PatternVoice.endlessLimit, patternEnd)
        }
    }

    /// The length of a phase of an envelope that begins at a time, in microseconds.
    func attackLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.attackTime, attack, at: time)
    }

    /// See ``attackLength(of:at:)``.
    func decayLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.decayTime, decay, at: time)
    }

    /// See ``attackLength(of:at:)``.
    func releaseLength(of event: HapticEvent, at time: Microseconds) -> Microseconds {
        length(event.envelope.releaseTime, release, at: time)
    }

    private func length(
        _ adjuster: Double, _ control: ControlTimeline, at time: Microseconds
    ) -> Microseconds {
        options.envelopeTiming.duration(
            of: control.id.combine(adjuster, with: control.value(at: time)))
    }
}
