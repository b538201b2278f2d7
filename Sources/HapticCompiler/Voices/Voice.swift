// Voice: the contract between a source of haptics and the mixer, which the compiler plays.

import HapticPatterns

/// A source of haptics, read window by window.
///
/// A voice starts at time 0 of the stream. Its output for a time must not depend on how time is
/// divided into windows.
public protocol Voice: Sendable {
    /// The last instant at which the voice has something to play, in microseconds from the start of
    /// the stream; nil if it has no end.
    var end: Microseconds? { get }

    /// Renders the next window, from where the last call ended (0 at first).
    ///
    /// - Parameter time: the end of the window in microseconds; the window does not contain it.
    /// - Returns: the taps of the window, and all pieces that extend into it.
    mutating func render(until time: Microseconds) -> VoiceSpan
}

extension Sequence<Microseconds?> {
    /// The latest of the ends of voices, 0 without any; nil if a voice has no end.
    package var latestEnd: Microseconds? {
        var latest: Microseconds = 0
        for end in self {
            guard let end else { return nil }
            latest = Swift.max(latest, end)
        }
        return latest
    }
}
