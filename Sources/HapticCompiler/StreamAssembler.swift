// From mixed pieces and taps to one stream: three tracks, merged in order of time and encoded.

internal import AHAP

/// Puts the tracks of one actuator together.
///
/// Each track settles its events at its own pace: a ramp is known when it ends, a row of taps when
/// it is complete. An event leaves when no track can come up with an earlier one. At equal ticks
/// the order is tap gain, taps, jumps, ramps (SPEC 7).
struct StreamAssembler: Sendable {
    private let profile: DeviceProfile
    /// Whether events leave as soon as they are known, exact and whatever they cost.
    private let isLive: Bool
    private var taps: TapTrack
    private var level: CurveTrack
    private var sharpness: CurveTrack
    private var encoder: EventStreamEncoder
    private var segment = EventSegment()
    /// What the device's ramps do after the last event.
    private var state = RampState()
    /// When the last tap has sounded to its end.
    private var tapsEnd: Microseconds = 0

    init(profile: DeviceProfile, isLive: Bool) {
        self.profile = profile
        self.isLive = isLive
        taps = TapTrack(profile: profile, holdsRows: !isLive)
        encoder = EventStreamEncoder(lookahead: isLive ? 0 : Self.lookahead)
        level = .level(choosing: !isLive)
        sharpness = .sharpness(choosing: !isLive)
    }

    /// Whether END was written.
    private(set) var hasEnded = false

    /// Adds taps in order of time.
    mutating func append(taps more: [VoiceTap]) {
        for tap in more {
            taps.append(tap)
            tapsEnd = max(tapsEnd, tap.time + profile.tapLength(sharpness: tap.sharpness))
        }
    }

    /// Adds a piece that follows the last one.
    mutating func append(_ piece: MixedPiece) {
        level.append(piece.level, from: piece.start, to: piece.end)
        let line = profile.keepsContinuousSharpness ? piece.sharpness : nil
        sharpness.append(line, from: piece.start, to: piece.end)
    }

    /// Releases what nothing before this time can change any more.
    mutating func advance(to time: Microseconds) {
        taps.advance(to: time)
        release(before: horizon)
    }

    /// The tick before which no event is to come any more.
    var horizon: Ticks { min(taps.horizon, level.horizon, sharpness.horizon) }

    /// Ends the stream, not before its last tap has sounded.
    ///
    /// - Parameters:
    ///   - voicesEnd: when the last voice is over.
    ///   - rendered: where the last piece ended; not before `voicesEnd`.
    mutating func finish(at voicesEnd: Microseconds, rendered: Microseconds) {
        let end = StreamTime.firstTick(from: max(voicesEnd, tapsEnd))
        taps.close()
        // Silence behind the end, so that the last ramp has something to arrive at.
        append(
            MixedPiece(
                start: rendered, end: rendered + 2 * StreamTime.tick, level: .silence,
                sharpness: nil))
        level.close()
        sharpness.close()
        release(before: end)
        // What is left happens when the stream ends: END brings the level to 0 by itself.
        send(StreamEvent(.end, at: end))
        hasEnded = true
        segment.hasEnded = true
    }

    /// Everything that was settled since the last call.
    mutating func takeSegment() -> EventSegment {
        defer { segment = EventSegment(hasEnded: hasEnded) }
        segment.bytes = encoder.takeBytes()
        if !isLive { segment.events = encoder.takeEvents() }
        return segment
    }

    private mutating func send(_ event: StreamEvent) {
        state.execute(event)
        if isLive { segment.events.append(event) }
        encoder.append(event)
    }

    /// How many events the writer knows before it chooses values.
    private static let lookahead = 32

    private mutating func send(_ tap: TapEvent) {
        guard !isLive else { return send(tap.event) }
        encoder.append(tap.wanted, at: tap.tick)
    }
}

/// Merging.
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

/// Jumps.
extension StreamAssembler {
    private mutating func sendJump(
        at tick: Ticks, _ level: CurveEvent?, _ sharpness: CurveEvent?
    ) {
        let jump = WantedEvent.jump(
            WantedJump(
                level: level.map { WantedValue($0) } ?? state.steadyLevel(at: tick),
                sharpness: sharpness.map { WantedValue($0) } ?? state.steadySharpness(at: tick),
                needsLevel: level != nil, needsSharpness: sharpness != nil))
        state.jump(at: tick, level, sharpness)
        guard isLive else { return encoder.append(jump, at: tick) }
        let event = StreamEvent(encoder.shortest(jump), at: tick)
        segment.events.append(event)
        encoder.append(event)
    }
}

/// The ramps of the device, as far as a writer needs to know them.
private struct RampState {
    private var level: (value: WantedValue, end: Ticks) = (WantedValue(0), 0)
    private var sharpness: (value: WantedValue, end: Ticks)?

    /// The level, unless it is moving.
    func steadyLevel(at tick: Ticks) -> WantedValue? { level.end <= tick ? level.value : nil }

    /// The sharpness, unless it is moving or was never given.
    func steadySharpness(at tick: Ticks) -> WantedValue? {
        sharpness.flatMap { $0.end <= tick ? $0.value : nil }
    }

    mutating func jump(at tick: Ticks, _ level: CurveEvent?, _ sharpness: CurveEvent?) {
        if let level { self.level = (WantedValue(level), tick) }
        if let sharpness { self.sharpness = (WantedValue(sharpness), tick) }
    }

    mutating func execute(_ event: StreamEvent) {
        switch event.content {
        case .levelRamp(let value, let duration):
            level = (WantedValue(value), event.tick + duration)
        case .sharpnessRamp(let value, let duration):
            sharpness = (WantedValue(value), event.tick + duration)
        case .tap, .tapGain, .level, .levelSharpness, .end: break
        }
    }
}

extension ArraySlice<CurveEvent> {
    /// Takes out a jump at a tick, if there is one.
    fileprivate mutating func popJump(at tick: Ticks) -> CurveEvent? {
        guard let first, first.tick == tick, first.duration == 0 else { return nil }
        return removeFirst()
    }
}
