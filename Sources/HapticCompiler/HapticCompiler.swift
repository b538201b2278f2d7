// HapticCompiler: the compiler, which turns voices into segments of the event stream, window by
// window.

import HapticPatterns

/// Compiles voices for one actuator, one window of time after another.
///
/// Each call renders the next window with the state carried over: ramps that cross windows stay
/// whole, and the bytes do not depend on how the time was divided. An event is returned as soon as
/// nothing that is still to be rendered can come before it.
public struct HapticCompiler: Sendable {
    /// The abilities of the device.
    public let profile: DeviceProfile
    /// The end of the rendered part, in microseconds from the start of the stream.
    public private(set) var position: Microseconds = 0

    private let isLive: Bool
    /// The voices, as far as they were rendered.
    public private(set) var voices: [any Voice]
    private var mixer: Mixer
    /// The planner of the drive; nil if the profile has no plant.
    private var planner: DrivePlanner?
    private var stream: StreamAssembler
    /// Without a planner, the taps of the plan that this one replaces that the device has not played.
    private var overdue: [VoiceTap] = []
    /// Without a planner, the taps that were rendered and may not have been played.
    private var unplayed: ArraySlice<VoiceTap> = []

    /// Makes a compiler at time 0 of its voices.
    ///
    /// - Parameter isLive: whether events are returned with the window in which they were rendered,
    ///   each with the nearest values. Otherwise they are held back until it is known which form
    ///   takes the fewest bytes, and their values may differ by up to 2 of 255 (levels,
    ///   intensities) and 4 of 255 (sharpnesses).
    public init(
        profile: DeviceProfile = .reference, mixPolicy: MixPolicy = .loudest, voices: [any Voice],
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
        if planner == nil { overdue = state.waiting.compactMap(\.tap) }
    }

    /// Renders the next window and returns what became final.
    ///
    /// - Parameter duration: the length of the window in microseconds, above 0.
    /// - Returns: the segment. When every voice ends before the window does, it contains END, and
    ///   later calls return empty segments.
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
        return stream.takeSegment()
    }

    /// The time by which everything is felt later than in the voices, in microseconds.
    public var lead: Microseconds { planner?.lead.total ?? 0 }

    /// Returns the state of the actuator at a time of the stream, for another live compiler whose
    /// time 0 it is. What the device has played by then is forgotten, so the next time must not be earlier.
    ///
    /// - Parameter lag: the time by which the device is behind the stream, in microseconds.
    public mutating func driveState(
        at time: Microseconds, behind lag: Microseconds = 0
    ) -> DriveState {
        if planner != nil { return planner!.state(at: time, behind: lag) }
        unplayed = unplayed.drop { $0.time < time - lag }
        var state = DriveState()
        state.waiting = unplayed.prefix { $0.time < time }.map {
            DriveMoment($0.earlier(by: $0.time), at: 0)
        }
        return state
    }

    /// The taps of a plan so far that are not felt as taps of their own.
    var losses: [TapLoss] { planner?.losses ?? [] }

    /// Plans the drive of a window, if the profile has a plant.
    private mutating func plan(
        _ taps: [VoiceTap], _ pieces: [MixedPiece], isLast: Bool
    ) -> DrivePlanner.Span {
        guard planner != nil else {
            if isLive { unplayed += taps }
            return DrivePlanner.Span(pieces: pieces, taps: taps, end: position)
        }
        planner!.append(taps)
        for piece in pieces { planner!.append(piece) }
        return isLast ? planner!.finish() : planner!.advance(to: position)
    }

    /// The tick before which no further event will come, so that a stream may wait until then.
    public var horizon: Ticks { stream.horizon }

    /// The time at which the last voice ends, in microseconds; nil while a voice has no end.
    private var endOfVoices: Microseconds? { voices.lazy.map(\.end).latestEnd }
}
