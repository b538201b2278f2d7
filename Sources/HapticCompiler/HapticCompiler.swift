// HapticCompiler: compiles voices to segments of the event stream, window by window.

import HapticPatterns

/// Compiles voices for one actuator, window by window.
///
/// Each call renders the next window and continues from the state after the previous window.
/// Therefore, a ramp that extends beyond the end of a window is not divided, and the bytes do not
/// depend on the lengths of the windows. An event is returned as soon as no event that is still to
/// be rendered can precede it.
public struct HapticCompiler: Sendable {
    /// The profile of the actuator.
    public let profile: DeviceProfile
    /// The time up to which the voices have been rendered, in microseconds from the start of the
    /// stream.
    public private(set) var position: Microseconds = 0

    private let isLive: Bool
    /// The voices, each positioned at the end of the last rendered window.
    public private(set) var voices: [AnyVoice]
    private var mixer: Mixer
    /// The planner of the drive; nil if the profile does not specify a plant.
    private var planner: DrivePlanner?
    private var stream: StreamAssembler
    /// The taps of the replaced compiler that the device has not played yet. This list is used only
    /// if there is no planner.
    private var overdue: [VoiceTap] = []
    /// The rendered taps that the device may not have played yet. This list is used only if there
    /// is no planner.
    private var unplayed: ArraySlice<VoiceTap> = []

    /// Creates a compiler that starts at time 0 of its voices.
    ///
    /// - Parameter isLive: if true, the compiler returns the events of each window as soon as it
    ///   has rendered that window, with every value rounded to the nearest whole number. If false,
    ///   the compiler holds events back until it can determine the form that takes the fewest
    ///   bytes. Values may then deviate by up to 2 of 255 (levels, intensities) or 4 of 255
    ///   (sharpnesses). Levels and taps for an LRA whose driver regulates the amplitude are exact in
    ///   both cases.
    public init(
        profile: DeviceProfile = .reference, mixPolicy: MixPolicy = .loudest, voices: [AnyVoice],
        alignment: DriveAlignment = .drive, isLive: Bool = false,
        state: DriveState = DriveState()
    ) {
        self.profile = profile
        self.isLive = isLive
        self.voices = voices
        self.mixer = Mixer(policy: mixPolicy)
        planner = profile.plant.map {
            DrivePlanner(profile, plant: $0, alignment, from: state, keepsHistory: isLive)
        }
        self.stream = StreamAssembler(profile: profile, isLive: isLive)
        if planner == nil {
            overdue = state.waiting.compactMap { $0.tap }.map { $0.earlier(by: $0.time) }
        }
    }

    /// Renders the next window, and returns the events and bytes that have become final.
    ///
    /// - Parameter duration: the length of the window in microseconds, above 0.
    /// - Returns: the next segment. If all voices end within the window, the segment contains END,
    ///   and later calls return empty segments.
    public mutating func nextSegment(duration: Microseconds) -> EventSegment {
        precondition(duration > 0, "a window of \(duration) microseconds")
        guard !stream.hasEnded else { return EventSegment(hasEnded: true) }
        let window = position..<(position + duration)
        var (taps, pieces) = (overdue, [LayerPiece]())
        overdue = []
        for index in voices.indices {
            let span = voices[index].render(until: window.upperBound)
            taps += span.taps.lazy.map { $0.played(by: index) }
            pieces += span.pieces
        }
        position = window.upperBound
        let end = endOfVoices.flatMap { $0 < position ? $0 : nil }
        let plan = plan(
            taps.sorted(by: VoiceTap.precedes), mixer.mix(pieces, in: window), isLast: end != nil)
        stream.append(taps: plan.taps)
        for piece in plan.pieces { stream.append(piece) }
        if let end {
            stream.finish(at: end + (planner?.lead.ofLevels ?? 0), rendered: plan.end)
        } else {
            stream.advance(to: plan.end)
        }
        return stream.drainSegment()
    }

    /// The delay between the time of an event in the voices and the time at which it is felt, in
    /// microseconds.
    public var lead: Microseconds { planner?.lead.total ?? 0 }

    /// Returns the state of the actuator at the given time of the stream. Another live compiler
    /// that starts at that time uses this state as its initial state. The history before that time
    /// is discarded, so a later call must not request an earlier time.
    ///
    /// - Parameter lag: the delay of the device relative to the stream, in microseconds.
    public mutating func driveState(
        at time: Microseconds, behind lag: Microseconds = 0
    ) -> DriveState {
        if planner != nil { return planner!.state(at: time, behind: lag) }
        unplayed = unplayed.drop { $0.time < time - lag }
        var state = DriveState()
        state.waiting = unplayed.prefix { $0.time < time }.map {
            DriveMoment($0.earlier(by: time), at: 0)
        }
        return state
    }

    /// The times, in microseconds, of the taps that are driven later than `lag` before the time of
    /// the last call of ``driveState(at:behind:)``.
    package var tapTimes: [Microseconds] { planner?.tapTimes ?? unplayed.map { $0.time } }

    /// The planned taps that cannot be felt as separate taps.
    var losses: [TapLoss] { planner?.losses ?? [] }

    /// If the profile specifies a plant, plans the drive of a window.
    private mutating func plan(
        _ taps: [VoiceTap], _ pieces: [MixedPiece], isLast: Bool
    ) -> DrivePlanner.Span {
        guard planner != nil else {
            if isLive { unplayed += taps }
            guard let band = profile.band.map({ BandDrive($0) }) else {
                return DrivePlanner.Span(pieces: pieces, taps: taps, end: position)
            }
            return DrivePlanner.Span(
                pieces: pieces.flatMap { band.pieces(for: $0) }, taps: taps.map { band.tap($0) },
                end: position)
        }
        planner!.append(taps)
        for piece in pieces { planner!.append(piece) }
        return isLast ? planner!.finish() : planner!.advance(to: position)
    }

    /// The tick before which the compiler will not produce any further event. A stream may contain
    /// a wait until this tick.
    public var horizon: Ticks { stream.horizon }

    /// The time at which the last voice ends, in microseconds; nil if a voice has no end.
    private var endOfVoices: Microseconds? { voices.lazy.map { $0.end }.latestEnd }
}
