// MixedPattern: the exact output of a pattern for one actuator, before a profile is applied and
// before values are rounded.

import HapticPatterns

/// A pattern that has been rendered for one actuator. Continuous events, with their envelopes and
/// controls, are mixed into one level and one sharpness. Transients, with their controls, are taps.
///
/// Endless events end at ``PatternVoice/endlessLimit``.
public struct MixedPattern: Sendable {
    /// The pieces that cover 0 to ``end`` without gaps or overlaps.
    public let pieces: [MixedPiece]
    /// The taps in order of time.
    public let taps: [VoiceTap]
    /// The spans of the continuous events with an intensity above 0, in order of their starts.
    public let spans: [EventSpan]
    /// The time at which the last event, including its release, and the pattern have ended, in
    /// microseconds. This time is always above 0.
    public let end: Microseconds

    /// Renders a whole pattern and mixes its continuous events.
    public init(_ pattern: HapticPattern, options: CompilerOptions = CompilerOptions()) {
        var voice = PatternVoice(pattern, options: options, endless: .limited)
        end = max(voice.end ?? 0, 1)
        // A window does not include its end, so it must extend beyond the time of the last tap.
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

/// The interval in which an event is felt, including its release.
public struct EventSpan: Sendable, Equatable {
    /// The first instant, in microseconds from the start of the pattern.
    public var start: Microseconds
    /// The end of the span (exclusive), in microseconds from the start of the pattern.
    public var end: Microseconds
    /// The index of the event in the pattern.
    public var source: Int
}
