// StreamAssembler: converts mixed pieces and taps to one stream. The assembler merges three tracks
// in order of time and encodes their events.

import HapticPatterns

/// Combines the tracks of one actuator into a stream.
///
/// Each track finalizes its events independently of the other tracks: a ramp is known when it ends,
/// and a row of taps is known when it is complete. The assembler sends an event as soon as no track
/// can produce an earlier event. Events at the same tick are sent in the order tap gain, taps,
/// jumps, ramps (SPEC 7).
struct StreamAssembler: Sendable {
    private let profile: DeviceProfile
    /// True if events are sent as soon as they are known, even if they take more bytes.
    private let isLive: Bool
    /// True if levels and taps have exact values, even if they take more bytes. An actuator whose
    /// driver regulates the amplitude is felt exactly as strong as the levels of the stream state.
    private let isExact: Bool
    private var taps: TapTrack
    private var level: CurveTrack
    private var sharpness: CurveTrack
    private var encoder: EventStreamEncoder
    private var segment = EventSegment()
    /// The state of the ramps on the device after the last event.
    private var state = RampState()
    /// The time at which the last tap ends.
    private var tapsEnd: Microseconds = 0

    init(profile: DeviceProfile, isLive: Bool) {
        self.profile = profile
        self.isLive = isLive
        isExact = isLive || profile.plant?.regulatesAmplitude == true
        taps = TapTrack(holdsRows: !isLive)
        encoder = EventStreamEncoder(lookahead: isLive ? 0 : Self.lookahead)
        level = .level(isLive: isLive, isExact: isExact)
        sharpness = .sharpness(isLive: isLive)
    }

    /// True if END has been written.
    private(set) var hasEnded = false

    /// Adds taps in order of time.
    mutating func append(taps more: [VoiceTap]) {
        for tap in more {
            taps.append(tap)
            tapsEnd = max(tapsEnd, tap.time + profile.streamTapLength(sharpness: tap.sharpness))
        }
    }

    /// Adds a piece, which must follow the previous piece without a gap.
    mutating func append(_ piece: MixedPiece) {
        level.append(piece.level, from: piece.start, to: piece.end)
        let line = profile.keepsContinuousSharpness ? piece.sharpness : nil
        sharpness.append(line, from: piece.start, to: piece.end)
    }

    /// Sends the events that are final once all pieces and taps before the given time are known.
    mutating func advance(to time: Microseconds) {
        taps.advance(to: time)
        release(before: horizon)
    }

    /// The tick before which no further events will be produced.
    var horizon: Ticks { min(taps.horizon, level.horizon, sharpness.horizon) }

    /// Ends the stream at the time at which the voices and the last tap have ended.
    ///
    /// - Parameters:
    ///   - voicesEnd: the time at which the last voice ends.
    ///   - rendered: the end of the last piece, which must not be before `voicesEnd`.
    mutating func finish(at voicesEnd: Microseconds, rendered: Microseconds) {
        let end = StreamTime.firstTick(from: max(voicesEnd, tapsEnd))
        taps.close()
        // The silence after the end determines the final value of the last ramp.
        append(
            MixedPiece(
                start: rendered, end: rendered + 2 * StreamTime.tick, level: .silence,
                sharpness: nil))
        level.close()
        sharpness.close()
        release(before: end)
        // The remaining events are at the end of the stream and are omitted, because END sets the
        // level to 0.
        send(StreamEvent(.end, at: end))
        hasEnded = true
        segment.hasEnded = true
    }

    /// Returns the bytes and events that have become final since the last call.
    mutating func drainSegment() -> EventSegment {
        defer { segment = EventSegment(hasEnded: hasEnded) }
        segment.bytes = encoder.drainBytes()
        if !isLive { segment.events = encoder.drainEvents() }
        return segment
    }

    private mutating func send(_ event: StreamEvent) {
        state.execute(event)
        if isLive { segment.events.append(event) }
        encoder.append(event)
    }

    /// The number of later events that must be known before the values of an event are chosen.
    private static let lookahead = 32

    private mutating func send(_ tap: TapEvent) {
        guard !isExact else { return send(tap.event) }
        encoder.append(tap.wanted, at: tap.tick)
    }
}

/// Merging the tracks.
extension StreamAssembler {
    private mutating func release(before horizon: Ticks) {
        var tapQueue = taps.events[...]
        var levelQueue = level.fitter.events[...]
        var sharpnessQueue = sharpness.fitter.events[...]
        while let tick = [tapQueue.first?.tick, levelQueue.first?.tick, sharpnessQueue.first?.tick]
            .compactMap({ $0 }).min(), tick < horizon
        {
            while tapQueue.first?.tick == tick { send(tapQueue.removeFirst()) }
            sendCurves(at: tick, &levelQueue, &sharpnessQueue)
        }
        taps.events = Array(tapQueue)
        level.fitter.events = Array(levelQueue)
        sharpness.fitter.events = Array(sharpnessQueue)
    }

    private mutating func sendCurves(
        at tick: Ticks, _ levels: inout ArraySlice<CurveEvent>,
        _ sharpnesses: inout ArraySlice<CurveEvent>
    ) {
        let level = levels.popJump(at: tick)
        let sharpness = sharpnesses.popJump(at: tick)
        if level != nil || sharpness != nil { sendJump(at: tick, level, sharpness) }
        while let ramp = levels.first, ramp.tick == tick {
            send(StreamEvent(.levelRamp(to: ramp.value, duration: ramp.duration), at: tick))
            levels.removeFirst()
        }
        while let ramp = sharpnesses.first, ramp.tick == tick {
            send(StreamEvent(.sharpnessRamp(to: ramp.value, duration: ramp.duration), at: tick))
            sharpnesses.removeFirst()
        }
    }
}

/// Sending jumps.
extension StreamAssembler {
    private mutating func sendJump(
        at tick: Ticks, _ level: CurveEvent?, _ sharpness: CurveEvent?
    ) {
        let jump = CandidateEvent.jump(
            CandidateJump(
                level: level.map { ToleratedValue($0) } ?? state.steadyLevel(at: tick),
                sharpness: sharpness.map { ToleratedValue($0) } ?? state.steadySharpness(at: tick),
                needsLevel: level != nil, needsSharpness: sharpness != nil))
        state.jump(at: tick, level, sharpness)
        guard isLive else { return encoder.append(jump, at: tick) }
        let event = StreamEvent(encoder.shortest(jump), at: tick)
        segment.events.append(event)
        encoder.append(event)
    }
}

/// The part of the state of the ramps on the device that the assembler needs for jumps.
private struct RampState {
    private var level: (value: ToleratedValue, end: Ticks) = (ToleratedValue(0), 0)
    private var sharpness: (value: ToleratedValue, end: Ticks)?

    /// Returns the level at the given tick; nil while the level is changing.
    func steadyLevel(at tick: Ticks) -> ToleratedValue? { level.end <= tick ? level.value : nil }

    /// Returns the sharpness at the given tick; nil while the sharpness is changing, or if it has
    /// never been set.
    func steadySharpness(at tick: Ticks) -> ToleratedValue? {
        sharpness.flatMap { $0.end <= tick ? $0.value : nil }
    }

    mutating func jump(at tick: Ticks, _ level: CurveEvent?, _ sharpness: CurveEvent?) {
        if let level { self.level = (ToleratedValue(level), tick) }
        if let sharpness { self.sharpness = (ToleratedValue(sharpness), tick) }
    }

    mutating func execute(_ event: StreamEvent) {
        switch event.content {
        case .levelRamp(let value, let duration):
            level = (ToleratedValue(value), event.tick + duration)
        case .sharpnessRamp(let value, let duration):
            sharpness = (ToleratedValue(value), event.tick + duration)
        case .tap, .tapGain, .level, .levelSharpness, .end: break
        }
    }
}

extension ArraySlice<CurveEvent> {
    /// Removes and returns the jump at the given tick; returns nil if there is no such jump.
    fileprivate mutating func popJump(at tick: Ticks) -> CurveEvent? {
        guard let first, first.tick == tick, first.duration == 0 else { return nil }
        return removeFirst()
    }
}
