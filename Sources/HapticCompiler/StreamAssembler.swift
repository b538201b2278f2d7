// From mixed pieces and taps to one stream: three tracks, merged in order of time and encoded.

internal import AHAP

/// Puts the tracks of one actuator together.
///
/// Each track settles its events at its own pace: a ramp is known when it ends, a row of taps when
/// it is complete. An event leaves when no track can come up with an earlier one. At equal ticks
/// the order is tap gain, taps, jumps, ramps (SPEC 7).
struct StreamAssembler: Sendable {
    private let profile: DeviceProfile
    private var taps: TapTrack
    private var level = CurveTrack.level
    private var sharpness = CurveTrack.sharpness
    private var encoder = EventStreamEncoder()
    private var segment = EventSegment(bytes: [], events: [], hasEnded: false)
    /// When the last tap has sounded to its end.
    private var tapsEnd: Microseconds = 0

    init(profile: DeviceProfile) {
        self.profile = profile
        taps = TapTrack(profile: profile)
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
        release(before: min(taps.horizon, level.horizon, sharpness.horizon))
    }

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
        defer { segment = EventSegment(bytes: [], events: [], hasEnded: hasEnded) }
        segment.bytes = encoder.takeBytes()
        return segment
    }

    private mutating func send(_ event: StreamEvent) {
        segment.events.append(event)
        encoder.append(event)
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
        switch (level, sharpness) {
        case (let level?, let sharpness?):
            send(StreamEvent(.levelSharpness(level: level, sharpness: sharpness), at: tick))
        case (let level?, nil): send(StreamEvent(.level(level), at: tick))
        case (nil, let sharpness?):
            send(StreamEvent(.sharpnessRamp(to: sharpness, duration: 0), at: tick))
        case (nil, nil): break
        }
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

extension ArraySlice<CurveEvent> {
    /// Takes out a jump at a tick, if there is one.
    fileprivate mutating func popJump(at tick: Ticks) -> UInt8? {
        guard let first, first.tick == tick, first.duration == 0 else { return nil }
        return removeFirst().value
    }
}
