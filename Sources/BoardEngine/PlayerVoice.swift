// A player as a voice of the compiler: a pattern in engine time, with every operation that a player
// supports.

import BridgeLink
import HapticCompiler
import HapticPatterns

/// The content of a player from now on. It is a value, so that the compiler can read ahead on a
/// copy.
///
/// The engine's clock is the host's; the times of `Voice` count from ``origin``.
package struct PlayerVoice: Voice {
    /// The state of the player.
    private enum State: Sendable {
        case idle
        /// The player plays by ``clock``, from the clock's engine time on.
        case playing
        /// The player is paused at a time of the pattern.
        case paused(Microseconds)
    }

    /// A start or a stop that lies ahead.
    private struct Change: Sendable {
        enum Kind: Sendable {
            /// Playing begins at a place in the pattern.
            case start(from: Microseconds)
            case stop
        }

        let time: HostTime
        var kind: Kind

        var isStart: Bool { if case .start = kind { true } else { false } }
    }

    /// The way in which playing begins.
    private enum Beginning: Sendable {
        /// Playing begins at the pattern's start, or after a seek.
        case over
        /// Playing continues after a pause or a change of rate.
        case on
    }

    /// The engine time at which the stream's time is 0.
    package var origin: HostTime = 0
    /// True if the player is muted, so that nothing of it is felt although it continues.
    package var isMuted = false

    package let pattern: HapticPattern
    package let endless: PatternVoice.EndlessEvents
    /// The number of the pattern's entries and control points.
    let patternSize: Int
    /// The number of the pattern's parameters and control points.
    private let controlSize: Int
    /// The pattern at its beginning, with only its own controls.
    private let unplayed: PatternVoice
    private var state = State.idle
    private var clock = PlayerClock(engine: 0, pattern: 0, rate: 1)
    private var controls = PlayerControls()
    /// The change to the controls that is due when the clock begins to run; nil once it has been
    /// made.
    private var beginning: Beginning?
    private var inner: PatternVoice
    /// The engine time up to which the player has played.
    private var cursor: HostTime = 0
    /// The starts and stops that lie ahead, by their times; equal ones in the order of the requests.
    private var changes: [Change] = []
    /// The engine time at which the player was over, once it is over.
    private var endedAt: HostTime = 0
    /// The passes, taps and pieces of the window that was rendered last, felt or not, and 1 for the player.
    package private(set) var rendered = 0
    package private(set) var isLooping = false
    package private(set) var loopEnd: Microseconds

    /// The least time that a pass of a loop takes, whatever the rate, in microseconds. Without it,
    /// a pattern that consists of a tap at 0 would be repeated endlessly at the same moment.
    static let shortestLoop: Microseconds = 10_000

    /// Makes a voice that plays a pattern.
    ///
    /// - Parameter endless: the treatment of events without an end.
    package init(_ pattern: HapticPattern, endless: PatternVoice.EndlessEvents = .unlimited) {
        self.pattern = pattern
        self.endless = endless
        controlSize =
            pattern.parameters.count + pattern.curves.reduce(0) { $0 + 1 + $1.points.count }
        patternSize = pattern.events.count + controlSize
        unplayed = PatternVoice(pattern, endless: endless)
        inner = unplayed
        loopEnd = pattern.length
    }

    /// The number of parameters and control points that have not taken effect, and of starts and stops that lie
    /// ahead.
    package var waiting: Int { controls.waiting + changes.count }

    /// The greatest number of them: each command steps through all.
    package static let waitingMax = 20_000

    /// Returns whether a command brings no more than may wait.
    package func hasRoom(for command: PlayerCommand) -> Bool {
        let size = command.waitingSize
        return size == 0 || size + waiting <= Self.waitingMax
    }

    /// True if the pattern and what was sent have more in any time than the players of an engine may have at
    /// once.
    var isTooDense: Bool { inner.density > EngineVoices.densityMax }

    /// The number of entries and control points through which a command steps: those of the controls once any was
    /// sent, and the events, of which each takes longer, if their envelopes are changed.
    ///
    /// - Parameter parameters: those that the command brings.
    func size(with parameters: [HapticDynamicParameter] = []) -> Int {
        let envelopes: Set<DynamicParameterID> = [
            .hapticAttackTimeControl, .hapticDecayTimeControl, .hapticReleaseTimeControl,
        ]
        guard !controls.isEmpty || !parameters.isEmpty else { return 1 }
        let isShaped =
            controls.changes(envelopes) || parameters.contains { envelopes.contains($0.id) }
        return controlSize + controls.waiting + parameters.count
            + (isShaped ? Self.eventSize * (patternSize - controlSize) : 0)
    }

    /// The entries that the layout of an event takes as long as.
    private static let eventSize = 6

    /// True if the player has anything to play at its cursor or later.
    var isActive: Bool { isPlaying || startsAgain }

    private var isPlaying: Bool {
        if case .playing = state { return true }
        return false
    }

    private var startsAgain: Bool { changes.contains(where: \.isStart) }

    /// The number of pattern seconds per second.
    package var rate: Double { clock.rate }

    /// True if the player is paused.
    var isPaused: Bool {
        if case .paused = state { return true }
        return false
    }

    /// Returns the first start that lies behind an engine time; nil if there is none.
    package func start(after time: HostTime) -> HostTime? {
        changes.first { $0.isStart && $0.time > time }?.time
    }

    /// Forgets the starts that lie behind an engine time.
    mutating func removeStarts(after time: HostTime) {
        changes.removeAll { $0.isStart && $0.time > time }
    }

    /// Returns whether the player plays at an engine time that is not far from its cursor.
    package func isPlaying(at time: HostTime) -> Bool {
        switch state {
        case .idle: endedAt > time
        case .paused: false
        case .playing: clock.engine <= max(time, cursor)
        }
    }

    /// The engine time at which the player is over unless a command changes it; nil for never.
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

    /// The place in the pattern at which a pass of the loop ends, in microseconds.
    private var passLength: Microseconds {
        max(loopEnd, Microseconds((Double(Self.shortestLoop) * clock.rate).rounded(.up)))
    }

    private func patternEnd(by clock: PlayerClock) -> HostTime {
        isLooping ? .never : inner.end.map { max(clock.engine, clock.engine(at: $0)) } ?? .never
    }

    private func clock(from time: HostTime, _ position: Microseconds) -> PlayerClock {
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

    /// Plays up to an engine time, and returns the times at which the pattern plays by the clocks
    /// that apply.
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

    /// The parameters and curves that apply at the cursor, sent and the pattern's own, as curves of
    /// the pattern.
    package var controlCurves: [HapticParameterCurve] { controls.curves(of: pattern, clock) }

    /// Moves on to an engine time without playing anything that lies before it.
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

    /// Leaves out all passes of a loop that end before a time, from the present one on.
    private mutating func skipPasses(before time: HostTime) {
        guard isPlaying, clock.pattern == 0 else { return }
        let length = clock.engine(at: passLength) - clock.engine
        let passes = (time - clock.engine) / length
        guard passes > 1 else { return }
        cursor = clock.engine + (passes - 1) * length
        begin(clock(from: cursor, 0), .over)
    }

    /// Steps through the passes of the pattern. `step` plays up to a time, within a pass that ends
    /// at a limit.
    private mutating func play(
        until time: HostTime,
        _ step: (inout PlayerVoice, _ until: HostTime, _ limit: HostTime) -> Void
    ) {
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
            // The controls are built again, which takes a piece's time for some entries.
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
        // A line without an end is constant, so its start does not matter, but its length must not
        // overflow.
        if end == .never { line.start = max(line.start, 0) }
        return line
    }
}

/// The operations of a player. Each takes effect at an engine time that is not before its cursor.
extension PlayerVoice {
    /// Starts at a place in the pattern, at a given time. What was requested for other times remains.
    package mutating func start(at time: HostTime, from position: Microseconds = 0) {
        let change = Change(time: time, kind: .start(from: position))
        guard time > cursor else { return carryOut(change) }
        let index = changes.firstIndex { $0.time > time } ?? changes.endIndex
        changes.insert(change, at: index)
    }

    /// Ends the player at a given time. Starts and stops that were requested for later times are
    /// forgotten, and so is a stop that this one puts off.
    package mutating func stop(at time: HostTime) {
        changes.removeAll { $0.time > time }
        guard time > cursor else {
            changes = []
            return finish(at: cursor)
        }
        if let last = changes.last, !last.isStart { changes.removeLast() }
        changes.append(Change(time: time, kind: .stop))
    }

    /// Carries out a change at the cursor.
    private mutating func carryOut(_ change: Change) {
        switch change.kind {
        case .stop: finish(at: change.time)
        case .start(let position):
            settle()
            begin(clock(from: cursor, reachable(position) ?? 0), .over)
            if reachable(position) == nil { finish(at: cursor) }
        }
    }

    /// Returns the place in the pattern from which an offset plays; nil if it lies beyond the end.
    /// Beyond its end, a loop starts over.
    private func reachable(_ offset: Microseconds) -> Microseconds? {
        if isLooping { return offset < passLength ? offset : 0 }
        return offset == 0 || offset < inner.end ?? .max ? offset : nil
    }

    private mutating func finish(at time: HostTime) {
        guard isPlaying || isPaused else { return }
        state = .idle
        endedAt = time
    }

    /// Stops at once, and discards the parameters that have not taken effect.
    package mutating func cancel() {
        stop(at: cursor)
        controls.cancel(after: cursor)
    }

    package mutating func pause() {
        guard isPlaying else { return }
        let position = max(clock.pattern, clock.pattern(at: cursor))
        settle()
        state = .paused(position)
    }

    package mutating func resume(at time: HostTime) {
        guard case .paused(let position) = state else { return }
        settle()
        begin(clock(from: time, position), .on)
    }

    /// Continues at an offset of the pattern; a player that waits for its start begins there. Beyond
    /// the end, a loop starts over and any other player is over.
    package mutating func seek(to offset: Microseconds) {
        if case .idle = state {
            guard let next = changes.firstIndex(where: \.isStart) else { return }
            changes[next].kind = .start(from: offset)
            return
        }
        guard let position = reachable(offset) else { return finish(at: cursor) }
        if isPaused {
            state = .paused(position)
        } else {
            settle()
            begin(clock(from: max(cursor, clock.engine), position), .over)
        }
    }

    /// Plays at a given multiple of the normal speed from the cursor on.
    ///
    /// - Parameter rate: a rate within `PlayerClock.rates`.
    package mutating func setRate(_ rate: Double) {
        guard isPlaying, clock.engine < cursor else {
            clock.rate = rate
            return rebuild()
        }
        let position = clock.pattern(at: cursor)
        settle()
        begin(PlayerClock(engine: cursor, pattern: position, rate: rate), .on)
    }

    /// Repeats the pattern from its beginning to `end`; 0 stands for the end of its last event.
    package mutating func setLoop(_ isEnabled: Bool, end: Microseconds) {
        isLooping = isEnabled
        loopEnd = end > 0 ? end : pattern.length
        guard isLooping, isPlaying, clock.pattern(at: cursor) >= passLength else { return }
        seek(to: 0)
    }

    /// Accepts parameters. Each takes effect at its own time after `time`.
    package mutating func send(_ parameters: [HapticDynamicParameter], at time: HostTime) {
        settle()
        controls.send(parameters, at: time)
        controls.apply(to: &inner, of: pattern, clock)
    }

    /// Accepts a curve that starts at a given time.
    package mutating func schedule(_ curve: HapticParameterCurve, at time: HostTime) {
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

    /// Begins to run the clock if that is due. Whatever was sent until then is in effect.
    private mutating func beginIfDue() {
        guard let beginning else { return }
        self.beginning = nil
        switch beginning {
        case .over: controls.startOver(at: clock.engine, from: clock.pattern)
        case .on: controls.settle(at: clock.engine) { [clock] _ in clock.pattern }
        }
        rebuild()
    }

    /// Keeps the place in the pattern of every control that has been in effect up to the cursor.
    private mutating func settle() {
        if case .paused(let position) = state {
            controls.settle(at: cursor) { _ in position }
        } else {
            controls.settle(at: cursor) { [clock] time in
                max(clock.pattern, clock.pattern(at: time))
            }
        }
    }

    /// Moves the inner voice to the clock's position, under the present controls.
    private mutating func rebuild() {
        inner = unplayed
        controls.apply(to: &inner, of: pattern, clock)
        guard isPlaying else { return }
        let position = clock.firstPattern(at: max(cursor, clock.engine))
        if position > 0 { inner.skip(to: position) }
    }
}
