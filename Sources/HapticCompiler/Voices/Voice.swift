// Voice: the interface of a source of haptics that the compiler mixes and plays.

import HapticPatterns

/// A source of haptics whose output is read window by window.
///
/// A voice starts at time 0 of the stream. Its output must not depend on how time is divided into
/// windows.
public protocol Voice: Sendable {
    /// The time at which the output of the voice ends, in microseconds from the start of the
    /// stream; nil if the output has no end.
    var end: Microseconds? { get }

    /// Renders the next window, which starts at the end of the last window (initially 0).
    ///
    /// - Parameter time: the end of the window (exclusive), in microseconds.
    /// - Returns: the taps of the window, and all pieces that extend into the window.
    mutating func render(until time: Microseconds) -> VoiceSpan
}

#if hasFeature(Embedded)
    /// The type of a compiler's voices. Embedded Swift has no existential types, so all voices are
    /// voices of patterns.
    public typealias AnyVoice = PatternVoice
#else
    /// The type of a compiler's voices.
    public typealias AnyVoice = any Voice
#endif

extension Sequence<Microseconds?> {
    /// The latest end of all voices; 0 if there are no voices, and nil if a voice has no end.
    package var latestEnd: Microseconds? {
        var latest: Microseconds = 0
        for end in self {
            guard let end else { return nil }
            latest = Swift.max(latest, end)
        }
        return latest
    }
}
