// How the report comes about: one pass over the events for each kind of finding.

internal import AHAP

extension LoweringReport {
    /// Examines a pattern and the stream that it has become. Takes time linear in its events, and in
    /// its length if the profile has a budget.
    init(
        of pattern: HapticPattern, profile: DeviceProfile, options: CompilerOptions,
        stream: [StreamEvent]
    ) {
        var examination = Examination(pattern, profile, options)
        examination.examineEvents()
        examination.examineTapNeighbours()
        examination.examineOverlaps()
        examination.examineBudget(of: stream)
        self = examination.report
    }
}

/// The findings so far, and what the rules need to know of a pattern.
private struct Examination {
    private let events: [HapticEvent]
    private let profile: DeviceProfile
    private let taps: [VoiceTap]
    private let shapes: [ContinuousShape]
    private let controls: PatternControls
    private var items: [LoweringReport.Item] = []

    init(_ pattern: HapticPattern, _ profile: DeviceProfile, _ options: CompilerOptions) {
        let controls = PatternControls(of: pattern, options: options, endless: .limited)
        self.controls = controls
        self.profile = profile
        events = pattern.events
        let indexed = pattern.events.enumerated()
        taps = indexed.filter { $1.type == .hapticTransient }
            .map { controls.tap($1, source: $0) }
        shapes = indexed.filter { $1.type == .hapticContinuous }.map { index, event in
            ContinuousShape(of: event, source: index, controls: controls)
        }
    }

    var report: LoweringReport {
        let degraded = Set(items.map(\.event))
        let notPlayed = Set(items.lazy.filter(\.rule.isNotPlayed).map(\.event))
        let sorted = items.sorted { ($0.event, $0.rule.rawValue) < ($1.event, $1.rule.rawValue) }
        return LoweringReport(
            items: sorted, exact: events.count - degraded.count,
            degraded: degraded.count - notPlayed.count, notPlayed: notPlayed.count)
    }

    private mutating func note(_ rule: LoweringReport.Rule, _ source: Int, _ message: String) {
        items.append(
            LoweringReport.Item(
                rule: rule, event: source, time: events[source].time,
                place: events[source].place, message: message))
    }
}

/// Rules that look at one event.
extension Examination {
    mutating func examineEvents() {
        for (index, event) in events.enumerated() where !event.type.isHaptic {
            note(.audioNotPlayed, index, "\(event.type.rawValue) is not played by an actuator")
        }
        for tap in taps { examine(tap) }
        for shape in shapes { examine(shape) }
    }

    private mutating func examine(_ tap: VoiceTap) {
        examineTime(tap.source)
        guard tap.intensity.onWireScale >= 0.5 else {
            return note(.silentTap, tap.source, "the intensity is 0 at this time")
        }
        if !profile.keepsTapSharpness {
            note(
                .sharpnessNotRendered, tap.source,
                "\(profile.name) renders every tap with the same sharpness")
        }
    }

    private mutating func examine(_ shape: ContinuousShape) {
        examineTime(shape.source)
        let event = shape.event
        if event.isEndless {
            note(
                .endlessEvent, shape.source,
                "no duration: ended after \(milliseconds(shape.end - event.time))")
        }
        if isLengthened(event) {
            note(
                .lengthenedToTick, shape.source,
                "shorter than a tick: lasts \(milliseconds(StreamTime.tick))")
        }
        if !profile.keepsContinuousSharpness {
            note(
                .sharpnessNotRendered, shape.source,
                "\(profile.name) cannot change the sharpness of a continuous event")
        }
        if event.intensity > 0, event.intensity < profile.levelFloor {
            note(
                .belowLevelFloor, shape.source,
                "intensity \(event.intensity) is below \(profile.levelFloor), the least that moves")
        }
    }

    private func isLengthened(_ event: HapticEvent) -> Bool {
        let attackEnd = event.time + controls.attackLength(of: event, at: event.time)
        guard event.envelope.sustained else {
            return attackEnd + controls.decayLength(of: event, at: attackEnd) - event.time
                < StreamTime.tick
        }
        guard let duration = event.duration, duration > 0 else { return false }
        let release = controls.releaseLength(of: event, at: event.time + duration)
        return duration + release < StreamTime.tick
    }

    private mutating func examineTime(_ source: Int) {
        let time = events[source].time
        let moved = StreamTime.time(of: StreamTime.nearestTick(to: time)) - time
        guard abs(moved) > 500 else { return }
        note(.quantisedTime, source, "moved by \(milliseconds(moved))")
    }

    private func milliseconds(_ time: Microseconds) -> String { "\(Double(time) / 1_000) ms" }
}

/// The rule that looks at the whole.
extension Examination {
    mutating func examineBudget(of stream: [StreamEvent]) {
        let profile = profile
        let excess = profile.budget.firstExcess(in: stream, tick: StreamTime.tick) {
            profile.tapLength(sharpness: Double($0) / 255)
        }
        guard let excess, let event = events.lastIndex(where: { $0.time <= excess }) else { return }
        let percent = Int(profile.budget.sustained) * 100 / 255
        note(
            .overBudget, event,
            "from \(milliseconds(excess)) on no level is felt above \(percent) %: the energy "
                + "budget is used up")
    }
}

/// Rules that look at neighbours.
extension Examination {
    mutating func examineTapNeighbours() {
        let felt = taps.filter { $0.intensity.onWireScale >= 0.5 }
        for (tap, next) in zip(felt, felt.dropFirst()) {
            let distance = next.time - tap.time
            let length = profile.tapLength(sharpness: tap.sharpness)
            if distance < length {
                note(
                    .tapTruncated, tap.source,
                    "the next tap comes after \(milliseconds(distance)) of \(milliseconds(length))")
            }
            if distance < profile.minimumTapSpacing {
                note(
                    .tapsFuse, next.source,
                    "\(milliseconds(distance)) after a tap; \(profile.name) needs "
                        + milliseconds(profile.minimumTapSpacing))
            }
        }
    }

    /// Events are in order of time: an event overlaps an earlier one if the latest end so far
    /// lies behind its start, and a later one if the next start lies before its end.
    mutating func examineOverlaps() {
        var latestEnd: Microseconds = 0
        let shapes = shapes.filter { $0.event.intensity > 0 }
        for (index, shape) in shapes.enumerated() {
            let next = index + 1 < shapes.count ? shapes[index + 1].event.time : .max
            if shape.event.time < latestEnd || next < shape.end {
                note(
                    .mixedByMaximum, shape.source,
                    "sounds together with another continuous event; the louder one is felt")
            }
            latestEnd = max(latestEnd, shape.end)
        }
    }
}
