// MixedPattern: what a pattern asks of one actuator, before a profile or a stream has rounded it.

public import AHAP

/// A pattern on one time line: continuous events under their envelopes and controls, mixed into one
/// level and one sharpness, and transients under their controls.
///
/// Endless events end at ``PatternVoice/endlessLimit``.
public struct MixedPattern: Sendable {
    /// Cover 0 to ``end`` without gap or overlap.
    public let pieces: [MixedPiece]
    /// In order of time.
    public let taps: [VoiceTap]
    /// When each continuous event of an intensity above 0 is felt, in order of their starts.
    public let spans: [EventSpan]
    /// When the last event, its release and the pattern are over, in microseconds, above 0.
    public let end: Microseconds

    public init(_ pattern: HapticPattern, options: CompilerOptions = CompilerOptions()) {
        var voice = PatternVoice(pattern, options: options, endless: .limited)
        end = max(voice.end ?? 0, 1)
        // A window does not contain its end, at which the last tap may stand.
        let span = voice.render(until: end + 1)
        pieces = Mixer(policy: options.mixPolicy).mix(span.pieces, in: 0..<end)
        taps = span.taps
        let controls = PatternControls(of: pattern, options: options, endless: .limited)
        spans = pattern.events.enumerated().compactMap { index, event in
            guard event.type == .hapticContinuous, event.intensity > 0 else { return nil }
            let shape = ContinuousShape(of: event, source: index, controls: controls)
            return EventSpan(start: event.time, end: shape.end, source: index)
        }
    }
}

/// When an event is felt, release included.
public struct EventSpan: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the pattern.
    public var start: Microseconds
    /// The instant after the last.
    public var end: Microseconds
    /// Which of the pattern's events it is.
    public var source: Int
}
