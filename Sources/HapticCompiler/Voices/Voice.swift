// Voice: the interface of a source of haptics that the compiler mixes and plays.

import HapticPatterns

/// A source of haptics, read window by window.
///
/// A voice starts at time 0 of the stream. Its output must not depend on the division of time into
/// windows.
public protocol Voice: Sendable {
    /// The end of the output of the voice, in microseconds from the start of the stream; nil if it
    /// has no end.
    var end: Microseconds? { get }

    /// Renders the next window, which starts at the end of the last window (initially 0).
    ///
    /// - Parameter time: the end of the window (exclusive), in microseconds.
    /// - Returns: the taps of the window, and all pieces that extend into it.
    mutating func render(until time: Microseconds) -> VoiceSpan
}

extension Sequence<Microseconds?> {
    /// The latest end of the voices; 0 without voices, and nil if a voice has no end.
    package var latestEnd: Microseconds? {
        var latest: Microseconds = 0
        for end in self {
            guard let end else { return nil }
            latest = Swift.max(latest, end)
        }
        return latest
    }
}
