// MixedPattern: the output that a pattern requires of one actuator, before a profile or a stream
// has rounded it.

import HapticPatterns

/// A pattern on one timeline: continuous events under their envelopes and controls, mixed into one
/// level and one sharpness, and transients under their controls.
///
/// Endless events end at ``PatternVoice/endlessLimit``.
public struct MixedPattern: Sendable {
    /// The pieces that cover 0 to ``end`` without gaps or overlaps.
    public let pieces: [MixedPiece]
    /// The taps in order of time.
    public let taps: [VoiceTap]
    /// The times at which continuous events with an intensity above 0 are felt, in the order of
    /// their starts.
    public let spans: [EventSpan]
    /// The time at which the last event, its release and the pattern are over, in microseconds;
    /// above 0.
    public let end: Microseconds

    /// Renders a whole pattern and mixes its continuous events.
    public init(_ pattern: HapticPattern, options: CompilerOptions = CompilerOptions()) {
        var voice = PatternVoice(pattern, options: options, endless: .limited)
        end = max(voice.end ?? 0, 1)
        // The window extends beyond the end because it does not include its own end, where the last
        // tap may be.
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

/// The time in which an event is felt, including its release.
public struct EventSpan: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the pattern.
    public var start: Microseconds
    /// The end of the span, which is not part of it, in microseconds from the start of the pattern.
    public var end: Microseconds
    /// The index of the event in the pattern.
    public var source: Int
}
