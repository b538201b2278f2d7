// A player as a voice of the compiler: a pattern in engine time, with all operations of a player.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The content that a player plays from the current time on. The type is a value type, so that the
/// compiler can read ahead in a copy.
///
/// Engine time is host time; the times of `Voice` are relative to ``origin``.
package struct PlayerVoice: Voice {
    /// The state of the player.
    enum State: Sendable {
        case idle
        /// The player plays according to ``clock``, from the clock's engine time on.
        case playing
        /// The player is paused at a pattern time.
        case paused(Microseconds)
    }

    /// A scheduled start or stop.
    struct Change: Sendable {
        enum Kind: Sendable {
            /// Playback begins at an offset of the pattern.
            case start(from: Microseconds)
            case stop
        }

        let time: HostTime
        var kind: Kind

        var isStart: Bool { if case .start = kind { true } else { false } }
    }

    /// The manner in which playback begins.
    enum Beginning: Sendable {
        /// Playback begins with a start, a seek or another pass of a loop.
        case over
        /// Playback continues after a pause or a change of rate.
        case on
    }

    /// The engine time that corresponds to time 0 of the stream.
    package var origin: HostTime = 0
    /// True if the player is muted and continues silently.
    package var isMuted = false

    package let pattern: HapticPattern
    package let endless: PatternVoice.EndlessEvents
    /// The number of the pattern's entries and control points.
    let patternSize: Int
    /// The parameters and curves of the pattern.
    let ownControls: [ControlCurve]
    /// The number of the pattern's parameters and control points.
    private let controlSize: Int
    /// The pattern at its beginning, with only its own controls.
    let unplayed: PatternVoice
    var state = State.idle
    var clock = PlayerClock(engine: 0, pattern: 0, rate: 1)
    var controls = PlayerControls()
    /// The change to the controls that is due when the clock begins to run; nil after the change
    /// has been made.
    var beginning: Beginning?
    var inner: PatternVoice
    /// The engine time to which the player has advanced.
    var cursor: HostTime = 0
    /// The scheduled starts and stops, sorted by time. Starts and stops with equal times are in the
    /// order of the requests.
    var changes: [Change] = []
    /// The engine time at which the player ended, if it has ended.
    var endedAt: HostTime = 0
    /// The number of passes, taps and pieces in the interval that was rendered last, including
    /// muted ones, plus 1 for the player.
    package private(set) var rendered = 0
    package internal(set) var isLooping = false
    package internal(set) var loopEnd: Microseconds

    /// The minimum duration of a pass of a loop at any rate, in microseconds. Without this minimum,
    /// a pattern that consists of a tap at 0 would be repeated endlessly at the same time.
    static let shortestLoop: Microseconds = 10_000

    /// Creates a voice that plays a pattern.
    ///
    /// - Parameter endless: the treatment of events without an end.
    package init(_ pattern: HapticPattern, endless: PatternVoice.EndlessEvents = .unlimited) {
        self.pattern = pattern
        self.endless = endless
        controlSize =
            pattern.parameters.count + pattern.curves.reduce(0) { $0 + 1 + $1.points.count }
        patternSize = pattern.events.count + controlSize
        ownControls = pattern.controls
        unplayed = PatternVoice(pattern, endless: endless)
        inner = unplayed
        loopEnd = pattern.length
    }

    /// The number of parameters and control points that have not taken effect, plus the number of
    /// scheduled starts and stops.
    package var waiting: Int { controls.waiting + changes.count }

    /// The maximum value of ``waiting``. The value is limited because each command processes all of
    /// these items.
    package static let waitingMax = 20_000
    /// The maximum number of scheduled starts and stops.
    package static let changesMax = 1_000
    /// The number of starts and stops in one rendered interval that are not counted in
    /// ``rendered``.
    private static let frequentChanges = 10

    /// Returns whether the voice has room for the items that a command adds.
    package func hasRoom(for command: PlayerCommand) -> Bool {
        switch command {
        case .start, .stop: return changes.count < Self.changesMax
        default:
            let size = command.waitingSize
            return size == 0 || size + waiting <= Self.waitingMax
        }
    }

    /// True if the density of the pattern and the controls exceeds the maximum density of an engine
    /// at any time.
    var isTooDense: Bool { inner.density > EngineVoices.densityMax }

    /// Returns the number of entries and control points that a command processes. The number
    /// includes the entries and control points of the controls if any were sent, and the events if
    /// the controls change the envelopes of events. An event counts as several entries, because
    /// processing an event takes longer.
    ///
    /// - Parameter parameters: the parameters that the command adds.
    func size(with parameters: [HapticDynamicParameter] = []) -> Int {
        guard !controls.isEmpty || !parameters.isEmpty else { return 1 }
        let isShaped =
            controls.changeDurations || parameters.contains { $0.id.changesDurations }
        return controlSize + controls.waiting + parameters.count
            + (isShaped ? Self.eventSize * (patternSize - controlSize) : 0)
    }

    /// The number of entries that take as long to process as one event.
    private static let eventSize = 6

    /// True if the player has anything to play at its cursor or later.
    var isActive: Bool { isPlaying || startsAgain }

    var isPlaying: Bool {
        if case .playing = state { return true }
        return false
    }

    private var startsAgain: Bool { changes.contains(where: \.isStart) }

    /// The number of pattern seconds per engine second.
    package var rate: Double { clock.rate }

    /// True if the player is paused.
    var isPaused: Bool {
        if case .paused = state { return true }
        return false
    }

    /// Returns the first start after an engine time; nil if there is none.
    package func start(after time: HostTime) -> HostTime? {
        changes.first { $0.isStart && $0.time > time }?.time
    }

    /// Removes the starts after an engine time.
    mutating func removeStarts(after time: HostTime) {
        changes.removeAll { $0.isStart && $0.time > time }
    }

    /// Returns whether the player plays at an engine time that is close to its cursor.
    package func isPlaying(at time: HostTime) -> Bool {
        switch state {
        case .idle: endedAt > time
        case .paused: false
        case .playing: clock.engine <= max(time, cursor)
        }
    }

    /// The engine time at which the player ends unless a command changes it; nil if the player has
    /// no end.
    package var finishTime: HostTime? {
        let last = changes.lastIndex(where: \.isStart)
        let stop = changes[(last.map { $0 + 1 } ?? 0)...].first?.time ?? .never
        var end = HostTime.never
        if let last, case .start(let position) = changes[last].kind {
            end = patternEnd(by: clock(from: changes[last].time, position))
        } else {
            switch state {
            case .idle: return endedAt
            case .paused: break
            case .playing: end = patternEnd(by: clock)
            }
        }
        let finish = min(end, stop)
        return finish == .never ? nil : finish
    }

    /// The pattern time at which a pass of the loop ends, in microseconds.
    var passLength: Microseconds {
        max(loopEnd, Microseconds((Double(Self.shortestLoop) * clock.rate).rounded(.up)))
    }

    private func patternEnd(by clock: PlayerClock) -> HostTime {
        isLooping ? .never : inner.end.map { max(clock.engine, clock.engine(at: $0)) } ?? .never
    }

    func clock(from time: HostTime, _ position: Microseconds) -> PlayerClock {
        PlayerClock(engine: time, pattern: position, rate: clock.rate)
    }

    // MARK: Voice

    package var end: Microseconds? {
        guard !isMuted, !isPaused || startsAgain else { return 0 }
        return finishTime.map { max(0, $0 - origin) }
    }

    package mutating func render(until time: Microseconds) -> VoiceSpan {
        var span = VoiceSpan()
        rendered = 1
        play(until: origin + time) { voice, until, limit in
            let part = voice.inner.render(until: voice.clock.firstPattern(at: until))
            voice.rendered += 1 + part.taps.count + part.pieces.count
            if !voice.isMuted { voice.append(part, before: limit, to: &span) }
        }
        return span
    }

    /// Plays up to an engine time, and returns the intervals in which the pattern plays, each with
    /// its clock.
    package mutating func spans(until time: HostTime) -> [ClockedSpan] {
        var spans: [ClockedSpan] = []
        play(until: time) { voice, until, _ in
            let start = max(voice.cursor, voice.clock.engine)
            if start < until {
                spans.append(ClockedSpan(start: start, end: until, clock: voice.clock))
            }
            voice.inner.skip(to: voice.clock.firstPattern(at: until))
        }
        return spans
    }

    /// The parameters and curves that apply at the cursor, in pattern time: those of the pattern,
    /// and those that were sent to the player.
    package var controlCurves: [ControlCurve] { controls.curves(with: ownControls, clock) }

    /// Advances to an engine time without rendering the interval before it.
    package mutating func advance(to time: HostTime) {
        while cursor < time {
            let next = min(time, changes.first?.time ?? .never)
            if isPlaying, isLooping {
                skip(to: min(next, clock.engine(at: passLength)))
                skipPasses(before: next)
            }
            skip(to: next)
        }
    }

    private mutating func skip(to time: HostTime) {
        play(until: time) { voice, until, _ in
            voice.inner.skip(to: voice.clock.firstPattern(at: until))
        }
    }

    /// Skips all passes of a loop that end before a time, beginning with the current pass.
    private mutating func skipPasses(before time: HostTime) {
        guard isPlaying, clock.pattern == 0 else { return }
        let length = clock.engine(at: passLength) - clock.engine
        let passes = (time - clock.engine) / length
        guard passes > 1 else { return }
        cursor = clock.engine + (passes - 1) * length
        begin(clock(from: cursor, 0), .over)
    }

    /// Plays the passes of the pattern one after another. The closure `step` plays up to a given
    /// time, within a pass that ends at a given limit.
    private mutating func play(
        until time: HostTime,
        _ step: (inout PlayerVoice, _ until: HostTime, _ limit: HostTime) -> Void
    ) {
        var count = 0
        while cursor < time {
            let change = changes.first?.time ?? .never
            if isPlaying {
                playOn(until: time, before: change, step)
            } else {
                cursor = min(time, change)
            }
            while let first = changes.first, first.time <= cursor {
                changes.removeFirst()
                carryOut(first)
                count += 1
                // Rebuilding the controls of eight entries takes about as long as rendering one
                // piece.
                if count > Self.frequentChanges { rendered += 1 + size() / 8 }
            }
        }
    }

    /// Plays to the end of the pass or of the pattern, or up to a time or a limit, whichever comes
    /// first.
    private mutating func playOn(
        until time: HostTime, before change: HostTime,
        _ step: (inout PlayerVoice, _ until: HostTime, _ limit: HostTime) -> Void
    ) {
        let passEnd = isLooping ? clock.engine(at: passLength) : .never
        let limit = min(passEnd, change)
        // A tap at the very end is part of the pattern.
        let patternEnd = patternEnd(by: clock)
        let end = patternEnd == .never ? .never : patternEnd + 1
        let until = min(time, limit, end)
        if until > clock.engine {
            beginIfDue()
            step(&self, until, limit)
        }
        cursor = max(cursor, until)
        if until == end {
            finish(at: patternEnd)
        } else if until == passEnd {
            begin(clock(from: passEnd, 0), .over)
            // Rebuilding the controls of eight entries takes about as long as rendering one piece.
            rendered += size() / 8
        }
    }

    private func append(
        _ part: VoiceSpan, before limit: HostTime, to span: inout VoiceSpan
    ) {
        for tap in part.taps {
            var tap = tap
            tap.time = clock.engine(at: tap.time) - origin
            span.taps.append(tap)
        }
        for piece in part.pieces {
            var piece = piece
            piece.start = max(clock.engine(at: piece.start), clock.engine) - origin
            piece.end = min(clock.engine(at: piece.end), limit) - origin
            piece.level = moved(piece.level)
            piece.sharpness = moved(piece.sharpness)
            if piece.start < piece.end { span.pieces.append(piece) }
        }
    }

    private func moved(_ line: Line) -> Line {
        var line = line
        line.start = clock.engine(at: line.start) - origin
        let end = clock.engine(at: line.end)
        line.end = end == .never ? .max : end - origin
        // A line without an end is constant, so its start does not matter, but the calculation of
        // its length must not overflow.
        if end == .never { line.start = max(line.start, 0) }
        return line
    }
}
