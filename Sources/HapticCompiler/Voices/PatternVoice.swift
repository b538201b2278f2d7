// PatternVoice: plays one pattern as a voice, according to the rendering rules of Core Haptics.

import HapticPatterns

/// Plays a pattern once, from its start.
///
/// The rules follow the documentation of Core Haptics. For behavior that the documentation does not
/// specify, this project has chosen these rules:
/// - The controls affect the intensity and the sharpness of a transient once, at its onset.
/// - The controls affect a continuous event throughout: its level is intensity × control ×
///   envelope, and its sharpness is sharpness + control, each limited to 0...1.
/// - A sharpness control affects transients only if `SharpnessCurveProfile.observed` is selected.
public struct PatternVoice: Voice {
    /// The treatment of endless events.
    public enum EndlessEvents: Sendable, Codable {
        /// Endless events continue indefinitely, and the voice has no end.
        case unlimited
        /// Each endless event ends ``PatternVoice/endlessLimit`` after its start, or at the end of
        /// the pattern if the pattern ends later.
        case limited
    }

    /// The duration of a limited endless event, in microseconds: 30 s, the longest continuous event
    /// that Core Haptics documents.
    public static let endlessLimit: Microseconds = 30_000_000

    /// The time at which the last event, including its release, and the pattern have ended, in
    /// microseconds; nil if an event has no end.
    public private(set) var end: Microseconds?

    /// The density of the pattern. Time is divided into intervals of ``densityTime``. The maximum
    /// numbers of taps, spans of continuous events, and control points that start in one interval
    /// are determined. The density is the sum of these three numbers.
    public private(set) var density = 0

    /// The length of the intervals that determine ``density``, in microseconds.
    public static let densityTime: Microseconds = 50_000

    private let events: [HapticEvent]
    private var controls: PatternControls
    private let length: Microseconds
    /// The spans of the loudest continuous events.
    private var loudest: [LoudestSpan] = []
    /// The density of the taps and spans, without the control points.
    private var eventDensity = 0
    /// The time at which the next window begins.
    private var position: Microseconds = 0
    /// The index of the first event that has not begun by ``position``.
    private var next = 0
    /// The index of the first span that has not ended by ``position``.
    private var nextSpan = 0

    /// Creates a voice at the start of a pattern. The running time is O(n log n) for n events and
    /// control points.
    ///
    /// - Parameter length: the minimum duration of the pattern, in microseconds. By default, this
    ///   is the duration of the pattern, including its curves.
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

    /// Replaces the parameters and curves from the current position on. The spans of the events are
    /// recalculated only if the controls for attack, decay or release change.
    ///
    /// - Parameter curves: the parameters and curves in ascending order of their starts.
    public mutating func replaceControls(_ curves: [ControlCurve]) {
        let before = controls
        controls = PatternControls(
            of: curves, options: before.options, endless: before.endless, patternEnd: length)
        defer { density = eventDensity + controls.density }
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
        let taps = events.lazy.filter { $0.type == .hapticTransient }
        eventDensity = taps.map { $0.time }.density + loudest.lazy.map { $0.start }.density
        density = eventDensity + controls.density
    }

    /// Renders the pattern from the end of the last window (initially 0) up to the given time
    /// (exclusive), in microseconds.
    public mutating func render(until time: Microseconds) -> VoiceSpan {
        let window = position..<max(time, position)
        let span = VoiceSpan(taps: taps(before: time), pieces: pieces(in: window))
        skip(to: window.upperBound)
        return span
    }

    /// Skips to a time without playing anything before that time. An event that began earlier and
    /// has not ended is played from that time on.
    ///
    /// - Parameter time: the time in microseconds from the start of the stream. A time before the
    ///   current position has no effect.
    public mutating func skip(to time: Microseconds) {
        next = events[next...].boundary { $0.time >= time }
        nextSpan = loudest[nextSpan...].boundary { $0.end > time }
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

extension Sequence<Microseconds> {
    /// The maximum number of these times that lie within one interval of
    /// ``PatternVoice/densityTime``. The times must be in ascending order.
    var density: Int {
        var (part, count, most): (Microseconds, Int, Int) = (-1, 0, 0)
        for time in self {
            if time / PatternVoice.densityTime != part {
                (part, count) = (time / PatternVoice.densityTime, 0)
            }
            count += 1
            most = Swift.max(most, count)
        }
        return most
    }
}

extension ArraySlice {
    /// Returns the index of the first element that satisfies a condition; the end index if no
    /// element does. All elements after an element that satisfies the condition must also satisfy
    /// it. The search starts near the beginning.
    fileprivate func boundary(where holds: (Element) -> Bool) -> Int {
        var (low, step) = (startIndex, 1)
        while low + step < endIndex, !holds(self[low + step - 1]) {
            (low, step) = (low + step, step * 2)
        }
        var high = Swift.min(low + step, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension HapticPattern {
    /// The length of the pattern in microseconds if the pattern is played once and each endless
    /// event ends ``PatternVoice/endlessLimit`` after its start.
    public var playedLength: Microseconds {
        let ends = events.lazy.filter { $0.isEndless }.map { $0.time + PatternVoice.endlessLimit }
        return max(length, ends.max() ?? 0)
    }
}
