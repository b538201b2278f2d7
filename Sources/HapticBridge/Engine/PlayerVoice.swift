// A player as a voice of the compiler: a pattern on engine time, with everything that a player can
// do to it.

import AHAP
import HapticCompiler

/// What a player plays from now on. A value: the compiler reads ahead on a copy.
///
/// Times of its methods are engine time, in microseconds; those of `Voice` count from ``origin``.
struct PlayerVoice: Voice {
    /// Where it is.
    private enum State: Sendable {
        case idle
        /// It plays by ``clock``, from its engine time on.
        case playing
        /// It stands at a time of the pattern.
        case paused(Microseconds)
    }

    /// How playing begins.
    private enum Beginning: Sendable {
        /// From the pattern's start, or after a seek.
        case over
        /// After a pause.
        case on
    }

    /// The engine time of the stream's time 0.
    var origin: Microseconds = 0
    /// Whether nothing of it is felt, though it goes on.
    var isMuted = false

    private let pattern: HapticPattern
    /// The pattern at its beginning, under its own controls.
    private let unplayed: PatternVoice
    private var state = State.idle
    private var clock = PlayerClock(engine: 0, pattern: 0, rate: 1)
    private var controls = PlayerControls()
    /// What happens to the controls when the clock begins to run.
    private var beginning: Beginning?
    private var inner: PatternVoice
    /// How far it has played.
    private var cursor: Microseconds = 0
    private var stopTime = Microseconds.max
    /// When it was over, once it is.
    private var endedAt: Microseconds = 0
    private var isLooping = false
    private var loopEnd: Microseconds

    /// How long a pass of a loop takes at least, whatever the rate: a pattern that is a tap at 0 would
    /// be repeated without end at once.
    static let shortestLoop: Microseconds = 10_000

    /// - Parameter endless: what becomes of events without an end.
    init(_ pattern: HapticPattern, endless: PatternVoice.EndlessEvents = .unlimited) {
        self.pattern = pattern
        unplayed = PatternVoice(pattern, endless: endless)
        inner = unplayed
        loopEnd = pattern.length
    }

    /// Whether it has anything to play at its cursor or later.
    var isActive: Bool {
        if case .playing = state { return true }
        return false
    }

    /// Whether it is paused.
    var isPaused: Bool {
        if case .paused = state { return true }
        return false
    }

    /// When it begins; what was begun has begun at its cursor.
    var startTime: Microseconds { isActive ? max(clock.engine, cursor) : .max }

    /// When it is over, if nothing is done to it; nil for never.
    var finishTime: Microseconds? {
        switch state {
        case .idle: return endedAt
        case .paused: return stopTime == .max ? nil : stopTime
        case .playing:
            let finish = min(patternEnd, stopTime)
            return finish == .max ? nil : finish
        }
    }

    /// Where in the pattern a pass of the loop ends.
    private var passLength: Microseconds {
        max(loopEnd, Microseconds((Double(Self.shortestLoop) * clock.rate).rounded(.up)))
    }

    private var patternEnd: Microseconds {
        isLooping ? .max : inner.end.map(clock.engine(at:)) ?? .max
    }

    // MARK: Voice

    var end: Microseconds? {
        guard !isPaused, !isMuted else { return 0 }
        return finishTime.map { max(0, $0 - origin) }
    }

    mutating func render(until time: Microseconds) -> VoiceSpan {
        var span = VoiceSpan()
        play(until: origin + time) { voice, until, limit in
            let part = voice.inner.render(until: voice.clock.firstPattern(at: until))
            if !voice.isMuted { voice.append(part, before: limit, to: &span) }
        }
        return span
    }

    /// Goes on to an engine time without playing what lies before it.
    mutating func advance(to time: Microseconds) {
        play(until: time) { voice, until, _ in
            voice.inner.skip(to: voice.clock.firstPattern(at: until))
        }
    }

    /// Walks through passes of the pattern; `step` plays up to a time, of a pass that is over at
    /// a limit.
    private mutating func play(
        until time: Microseconds,
        _ step: (inout PlayerVoice, _ until: Microseconds, _ limit: Microseconds) -> Void
    ) {
        while isActive, cursor < time {
            let passEnd = isLooping ? clock.engine(at: passLength) : .max
            let limit = min(passEnd, stopTime)
            // A tap at the very end is part of the pattern.
            let end = patternEnd == .max ? .max : patternEnd + 1
            let until = min(time, limit, end)
            if until > clock.engine {
                beginIfDue()
                step(&self, until, limit)
            }
            cursor = max(cursor, until)
            if until == stopTime || until == end {
                finish(at: min(stopTime, patternEnd))
            } else if until == passEnd {
                begin(PlayerClock(engine: passEnd, pattern: 0, rate: clock.rate), .over)
            }
        }
        if isPaused, stopTime <= time { finish(at: stopTime) }
        cursor = max(cursor, time)
    }

    private func append(
        _ part: VoiceSpan, before limit: Microseconds, to span: inout VoiceSpan
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
        line.end = end == .max ? .max : end - origin
        // Constant: where it began says nothing, and its length must be a number.
        if end == .max { line.start = max(line.start, 0) }
        return line
    }
}

/// What a player does to it. Each takes effect at an engine time that is not before its cursor.
extension PlayerVoice {
    /// Starts from the beginning of the pattern.
    mutating func start(at time: Microseconds) {
        settle()
        stopTime = .max
        begin(PlayerClock(engine: time, pattern: 0, rate: clock.rate), .over)
    }

    /// Is over at a time; a start after it is dropped.
    mutating func stop(at time: Microseconds) {
        stopTime = time
        if time <= cursor { finish(at: cursor) }
    }

    private mutating func finish(at time: Microseconds) {
        guard isActive || isPaused else { return }
        state = .idle
        endedAt = time
    }

    /// Stops at once, and forgets the parameters that have not taken effect.
    mutating func cancel() {
        stop(at: cursor)
        controls.cancel(after: cursor)
    }

    mutating func pause() {
        guard isActive else { return }
        let position = max(clock.pattern, clock.pattern(at: cursor))
        settle()
        state = .paused(position)
    }

    mutating func resume(at time: Microseconds) {
        guard case .paused(let position) = state else { return }
        settle()
        begin(PlayerClock(engine: time, pattern: position, rate: clock.rate), .on)
    }

    /// Goes on at an offset of the pattern; behind its end a loop starts over and anything else is
    /// over.
    mutating func seek(to offset: Microseconds) {
        var offset = offset
        if isLooping {
            if offset >= passLength { offset = 0 }
        } else if let end = inner.end, offset >= end {
            return stop(at: cursor)
        }
        switch state {
        case .idle: return
        case .paused: state = .paused(offset)
        case .playing:
            settle()
            let time = max(cursor, clock.engine)
            begin(PlayerClock(engine: time, pattern: offset, rate: clock.rate), .over)
        }
    }

    /// Plays so many times as fast from the cursor on.
    ///
    /// - Parameter rate: within `PlayerClock.rates`.
    mutating func setRate(_ rate: Double) {
        guard isActive, clock.engine < cursor else {
            clock.rate = rate
            return rebuild()
        }
        let position = clock.pattern(at: cursor)
        settle()
        begin(PlayerClock(engine: cursor, pattern: position, rate: rate), .on)
    }

    /// Repeats the pattern from its beginning to `end`; 0 is the end of its last event.
    mutating func setLoop(_ isEnabled: Bool, end: Microseconds) {
        isLooping = isEnabled
        loopEnd = end > 0 ? end : pattern.length
        guard isLooping, isActive, clock.pattern(at: cursor) >= passLength else { return }
        seek(to: 0)
    }

    /// Takes parameters; each takes effect at `time` and its own time behind it.
    mutating func send(_ parameters: [HapticDynamicParameter], at time: Microseconds) {
        settle()
        controls.send(parameters, at: time)
        controls.apply(to: &inner, of: pattern, clock)
    }

    /// Takes a curve that starts at a time.
    mutating func schedule(_ curve: HapticParameterCurve, at time: Microseconds) {
        settle()
        controls.schedule(curve, at: time)
        controls.apply(to: &inner, of: pattern, clock)
    }

    private mutating func begin(_ next: PlayerClock, _ beginning: Beginning) {
        clock = next
        state = .playing
        self.beginning = beginning
        rebuild()
    }

    /// The clock begins to run: what was sent until then is in force.
    private mutating func beginIfDue() {
        guard let beginning else { return }
        self.beginning = nil
        switch beginning {
        case .over: controls.startOver(at: clock.engine, from: clock.pattern)
        case .on: controls.settle(at: clock.engine) { [clock] _ in clock.pattern }
        }
        rebuild()
    }

    /// What has been in force up to the cursor keeps its place in the pattern.
    private mutating func settle() {
        if case .paused(let position) = state {
            controls.settle(at: cursor) { _ in position }
        } else {
            controls.settle(at: cursor) { [clock] time in
                max(clock.pattern, clock.pattern(at: time))
            }
        }
    }

    /// Goes to where the clock is, under the controls as they are.
    private mutating func rebuild() {
        inner = unplayed
        controls.apply(to: &inner, of: pattern, clock)
        guard isActive else { return }
        let position = clock.firstPattern(at: max(cursor, clock.engine))
        if position > 0 { inner.skip(to: position) }
    }
}
