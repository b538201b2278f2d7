// DrivePlanner: plans the drive of an actuator for a mixed pattern, before the event stream is
// written. The plan compensates for the slow response of the actuator, so that the felt intensities
// are close to the designed ones.

import HapticPatterns

/// Plans the drive of one actuator, window by window.
///
/// The planner converts levels to drive with the inverse of the actuator's static curve. It
/// converts each tap to a pulse that lasts until the actuator has reached the intensity of the tap.
/// Each decision depends on the events that follow, so the plan always ends before the end of the
/// rendered part of the pattern.
struct DrivePlanner: Sendable {
    /// A completed part of the plan.
    struct Span {
        var pieces: [MixedPiece] = []
        var taps: [VoiceTap] = []
        /// The time up to which the plan is complete, in microseconds.
        var end: Microseconds
    }

    let plant: Plant
    let profile: DeviceProfile
    let lead: DriveLead
    var model: DriveModel
    /// The planned pulses that have not been returned yet.
    var pulses: [VoiceTap] = []
    /// The taps that cannot be felt as separate taps. A planner that stores a history does not
    /// collect these taps.
    private(set) var losses: [TapLoss] = []
    /// The time at which a level was last interrupted in favor of a tap.
    var lastInterruption: Microseconds?

    private let curve: StaticCurve
    private var fuser: TapFuser
    /// The rendered pieces that have not been settled yet.
    private var mixed: ArraySlice<MixedPiece> = []
    /// The moments that have not been planned yet, in order of time.
    private(set) var moments: ArraySlice<DriveMoment> = []
    /// The levels of the drive that have not been returned yet.
    private var ready: ArraySlice<MixedPiece> = []
    /// The end of the settled part of the pattern.
    private var settled: Microseconds = 0
    /// The last tap of the settled part of the pattern.
    private var lastTap: VoiceTap?
    /// The designed level at the end of the settled part of the pattern.
    private var lastLevel = 0.0

    /// The length of the interval after a moment in which the planner must know all other moments
    /// before it can plan the moment, in microseconds.
    private static let lookahead: Microseconds = 90_000

    /// The recent past of the plan; nil if ``state(at:behind:)`` will not be called.
    private var history: DriveHistory?

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - plant: the plant of the profile.
    ///   - alignment: the meaning of the time of an event: when the event is felt, or when its
    ///     drive begins.
    ///   - initial: the state of the actuator at time 0.
    ///   - keepsHistory: true if ``state(at:behind:)`` will be called.
    init(
        _ profile: DeviceProfile, plant: Plant, _ alignment: DriveAlignment,
        from initial: DriveState = DriveState(), keepsHistory: Bool = false
    ) {
        self.profile = profile
        self.plant = plant
        lead = DriveLead(plant, isAligned: alignment == .felt)
        model = DriveModel(plant: plant, initial)
        lastInterruption = initial.lastInterruption
        history = keepsHistory ? DriveHistory(plant: plant, state: initial) : nil
        curve = StaticCurve(plant: plant)
        fuser = TapFuser(plant, continuing: initial.texture)
        moments = initial.waiting[...]
        if lead.ofLevels > 0 {
            let silence = MixedPiece(start: 0, end: lead.ofLevels, level: .silence, sharpness: nil)
            ready = [silence]
            model.append(silence)
            history?.append(silence)
        }
    }

    /// Adds taps in order of time.
    mutating func append(_ taps: [VoiceTap]) {
        fuser.append(taps.filter { $0.intensity.onWireScale >= 0.5 })
    }

    /// Adds a piece, which must follow the previous piece without a gap.
    mutating func append(_ piece: MixedPiece) { mixed.append(piece) }

    /// Extends the plan as far as the rendered part of the pattern allows.
    mutating func advance(to rendered: Microseconds) -> Span {
        settle(until: max(settled, rendered - TapFuser.lookahead))
        return plan(until: max(0, settled - Self.lookahead))
    }

    /// Returns the state at the given time. The plan must be complete up to that time. The time
    /// must not be earlier than the time of the last call.
    mutating func state(at time: Microseconds, behind lag: Microseconds) -> DriveState {
        history?.state(at: time, behind: lag) ?? DriveState()
    }

    /// The times of the taps in the history, in microseconds.
    var tapTimes: [Microseconds] { history?.tapTimes ?? [] }

    /// Plans the remaining part of the pattern. The last piece must have been added before this
    /// call.
    mutating func finish() -> Span {
        settle(until: mixed.last?.end ?? settled)
        var span = plan(until: .max)
        span.end = span.pieces.last?.end ?? settled
        return span
    }
}

/// Methods for settling, which convert taps and pieces of the pattern to moments and levels.
extension DrivePlanner {
    private mutating func settle(until end: Microseconds) {
        let window = settled..<end
        settled = end
        guard !window.isEmpty else { return }
        settleTaps(before: end)
        mixed = mixed.drop { $0.end <= window.lowerBound }
        for var piece in mixed {
            guard piece.start < end else { break }
            piece.start = max(piece.start, window.lowerBound)
            piece.end = min(piece.end, end)
            piece.shift(by: lead.ofLevels)
            model.append(piece)
            history?.append(piece)
            addOnset(of: piece)
            ready += curve.pieces(for: piece)
            lastLevel = piece.level.value(at: piece.end)
        }
    }

    private mutating func settleTaps(before end: Microseconds) {
        let result = fuser.joinTaps(before: end)
        for tap in result.taps {
            let delay = lead.of(tap, after: lastTap, plant)
            insert(DriveMoment(tap, at: tap.time + delay))
            lastTap = tap
        }
        // A texture that was continued from a replaced plan may already have ended.
        for part in result.texture where part.end + lead.total > 0 {
            insert(DriveMoment(part, at: part.tap.time + lead.of(part, plant)))
        }
        let texture = result.texture.map { $0.tap }
        for tap in result.joined + texture { recordLoss(of: tap, .joined) }
        history?.append(texture: texture)
    }

    /// If a level begins in a piece, adds a moment for starting the motor.
    private mutating func addOnset(of piece: MixedPiece) {
        guard plant.kind == .erm else { return }
        let least = StaticCurve.leastFelt
        let line = piece.level
        let (first, last) = (line.value(at: piece.start), line.value(at: piece.end))
        if lastLevel < least, first >= least {
            let intensity = max(first, line.value(at: min(piece.end, piece.start + 15_000)))
            let earlier = lead.beforeLevel(of: intensity, plant)
            insert(DriveMoment(levelAt: piece.start, max(0, piece.start - earlier)))
        } else if first < least, last >= least {
            let time = min(max(line.time(of: least), piece.start), piece.end)
            insert(DriveMoment(levelAt: time, time))
        }
    }

    private mutating func insert(_ moment: DriveMoment) {
        var index = moments.endIndex
        while index > moments.startIndex, moments[index - 1].time > moment.time { index -= 1 }
        moments.insert(moment, at: index)
    }
}

/// Methods for planning, which convert moments to pulses.
extension DrivePlanner {
    private mutating func plan(until end: Microseconds) -> Span {
        while let moment = moments.first, moment.time < end {
            moments.removeFirst()
            if let later = postponed(moment) {
                insert(later)
                continue
            }
            if plant.regulatesAmplitude {
                planRegulated(moment, before: moments.first)
            } else {
                planKicked(moment, before: moments.first)
            }
        }
        return removeSpan(before: end)
    }

    /// Returns a postponed moment if the tap is aligned and the actuator holds a level, because the
    /// actuator then needs less time than from rest. Returns nil otherwise.
    private mutating func postponed(_ moment: DriveMoment) -> DriveMoment? {
        guard lead.total > 0, let tap = moment.tap, moment.texture == nil,
            moment.delays < Self.delaysMax
        else {
            return nil
        }
        model.advance(to: moment.time)
        let isFree = model.pulse.map { $0.end <= moment.time } ?? true
        let level = model.level(at: moment.time)
        guard isFree, level >= StaticCurve.leastFelt else { return nil }
        let later =
            tap.time + lead.of(tap, from: model.state, plant) - interruption(of: level, by: tap)
        return later - moment.time > Self.delayMin ? moment.postponed(until: later) : nil
    }

    /// The maximum number of times a moment is postponed. More than one postponement may be
    /// necessary, because the state of the actuator changes in the meantime.
    private static let delaysMax = 3
    /// The minimum time by which a moment is postponed, in microseconds.
    private static let delayMin: Microseconds = 1_000

    /// Plans a pulse. In the stream, the pulse becomes one tap, or several taps if it is longer
    /// than the longest tap.
    ///
    /// - Parameters:
    ///   - length: the length in microseconds. A shorter length is increased to the length of the
    ///     shortest tap.
    ///   - level: the level, 0...1.
    mutating func drive(
        _ tap: VoiceTap, at time: Microseconds, for length: Double, _ level: Double,
        _ purpose: DrivePulse.Purpose
    ) {
        let (longest, shortest) = (profile.tapDull, profile.tapSharp)
        let length = max(Microseconds(length), shortest)
        // A stream cannot contain a pulse of level 0.
        let level = max(level, Self.leastDrive)
        let planned = DrivePulse(time: time, length: length, level: level, purpose: purpose)
        model.play(planned)
        history?.append(planned, for: tap)
        // The new pulse replaces the remaining parts of the previous pulse.
        while let last = pulses.last, last.time >= time { pulses.removeLast() }
        var pulse = tap
        pulse.time = time
        (pulse.intensity, pulse.base) = (level, level)
        while time + length - pulse.time > longest {
            pulse.sharpness = 0
            pulses.append(pulse)
            // Each part begins before the previous part ends, so that the level is not driven
            // between the two parts.
            pulse.time += max(min(longest - Self.overlap, time + length - pulse.time - shortest), 1)
        }
        pulse.sharpness =
            longest > shortest
            ? Double(longest - (time + length - pulse.time)) / Double(longest - shortest) : 0
        pulses.append(pulse)
    }

    /// The minimum level of a pulse.
    private static let leastDrive = 1 / 255.0
    /// The overlap of successive parts of a pulse, in microseconds. This overlap is longer than two
    /// ticks.
    static let overlap: Microseconds = 600

    /// Records that the tap of a moment cannot be felt as a separate tap. Taps of a texture are
    /// recorded when they are settled, and not by this method.
    mutating func recordLoss(of moment: DriveMoment, _ reason: TapLoss.Reason) {
        if let tap = moment.tap, moment.texture == nil { recordLoss(of: tap, reason) }
    }

    private mutating func recordLoss(of tap: VoiceTap, _ reason: TapLoss.Reason) {
        if history == nil { losses.append(TapLoss(tap, reason)) }
    }

    private mutating func removeSpan(before end: Microseconds) -> Span {
        var span = Span(end: end)
        span.taps = Array(pulses.prefix { $0.time < end })
        pulses.removeFirst(span.taps.count)
        while let piece = ready.first, piece.start < end {
            var part = piece
            part.end = min(piece.end, end)
            span.pieces.append(part)
            guard piece.end > end else {
                ready.removeFirst()
                continue
            }
            ready[ready.startIndex].start = end
        }
        return span
    }
}

extension MixedPiece {
    fileprivate mutating func shift(by delay: Microseconds) {
        start += delay
        end += delay
        level.shift(by: delay)
        sharpness?.shift(by: delay)
    }
}

extension Line {
    fileprivate mutating func shift(by delay: Microseconds) {
        guard !isConstant else { return }
        start += delay
        end += delay
    }
}
