// LoweringRules: the rules that produce the report. For each kind of finding, the rules make one
// pass over the events.

import HapticPatterns

extension LoweringReport {
    /// Examines a pattern and its compiled stream. The running time is linear in the number of
    /// events. If the profile has a budget, the running time is also linear in the length of the
    /// pattern.
    init(
        of pattern: HapticPattern, profile: DeviceProfile, options: CompilerOptions,
        stream: [StreamEvent], losses: [TapLoss]
    ) {
        var examination = Examination(pattern, profile, options)
        examination.examineEvents()
        examination.examineOverlaps()
        examination.examine(losses)
        examination.examineVoltage(of: pattern, options)
        examination.examineBudget(of: stream)
        self = examination.report
    }
}

/// The findings that have been collected, and the properties of the pattern that the rules use.
private struct Examination {
    private let events: [HapticEvent]
    private let profile: DeviceProfile
    private let controls: PatternControls
    private var items: [LoweringReport.Item] = []
    /// The last tap whose intensity is above 0.
    private var lastTap: VoiceTap?
    /// The intervals of the continuous events whose intensity is above 0.
    private var spans: [Span] = []

    /// The interval in which a continuous event is felt.
    private struct Span {
        var source: Int
        var start: Microseconds
        var end: Microseconds
    }

    init(_ pattern: HapticPattern, _ profile: DeviceProfile, _ options: CompilerOptions) {
        controls = PatternControls(of: pattern, options: options, endless: .limited)
        self.profile = profile
        events = pattern.events
    }

    var report: LoweringReport {
        let degraded = Set(items.map { $0.event })
        let notPlayed = Set(items.lazy.filter { $0.rule.isNotPlayed }.map { $0.event })
        let sorted = items.sorted { ($0.event, $0.rule.rawValue) < ($1.event, $1.rule.rawValue) }
        let audioEvents = events.count { !$0.type.isHaptic }
        return LoweringReport(
            items: sorted, exact: events.count - audioEvents - degraded.count,
            degraded: degraded.count - notPlayed.count, notPlayed: notPlayed.count,
            audioEvents: audioEvents)
    }

    private mutating func record(_ rule: LoweringReport.Rule, _ source: Int, _ message: String) {
        items.append(
            LoweringReport.Item(
                rule: rule, event: source, time: events[source].time,
                location: events[source].location, message: message))
    }
}

/// Rules that examine one event and the previous tap.
extension Examination {
    mutating func examineEvents() {
        for (index, event) in events.enumerated() {
            switch event.type {
            case .hapticTransient: examine(controls.tap(event, source: index))
            case .hapticContinuous:
                examine(ContinuousShape(of: event, source: index, controls: controls))
            case .audioContinuous, .audioCustom: break
            }
        }
    }

    private mutating func examine(_ tap: VoiceTap) {
        examineTime(tap.source)
        guard tap.intensity.onWireScale >= 0.5 else {
            return record(.silentTap, tap.source, "the intensity is 0 at this time")
        }
        if let lastTap { examine(lastTap, before: tap) }
        lastTap = tap
    }

    /// Reports a tap if the next tap cuts it off. If the profile specifies a plant, the drive
    /// planner separates the taps, and this method reports nothing.
    private mutating func examine(_ tap: VoiceTap, before next: VoiceTap) {
        guard profile.plant == nil else { return }
        let distance = next.time - tap.time
        let length = profile.tapLength(sharpness: tap.sharpness)
        if distance < length {
            record(
                .tapTruncated, tap.source,
                "the next tap begins after \(milliseconds(distance)), but this tap takes "
                    + "\(milliseconds(length))")
        }
    }

    private mutating func examine(_ shape: ContinuousShape) {
        examineTime(shape.source)
        let event = shape.event
        if event.intensity > 0 {
            spans.append(Span(source: shape.source, start: event.time, end: shape.end))
        }
        if event.isEndless {
            record(
                .endlessEvent, shape.source,
                "no duration: the event is ended after \(milliseconds(shape.end - event.time))")
        }
        if isLengthened(event) {
            record(
                .lengthenedToTick, shape.source,
                "shorter than a tick: lengthened to \(milliseconds(StreamTime.tick))")
        }
        if !profile.keepsContinuousSharpness {
            record(
                .sharpnessNotRendered, shape.source,
                "\(profile.name) cannot change the sharpness of a continuous event")
        }
    }

    private func isLengthened(_ event: HapticEvent) -> Bool {
        let attackEnd = event.time + controls.attackLength(of: event, at: event.time)
        guard event.envelope.sustained else {
            return attackEnd + controls.decayLength(of: event, at: attackEnd) - event.time
                < StreamTime.tick
        }
        guard let duration = event.length, duration > 0 else { return false }
        let release = controls.releaseLength(of: event, at: event.time + duration)
        return duration + release < StreamTime.tick
    }

    private mutating func examineTime(_ source: Int) {
        let time = events[source].time
        let moved = StreamTime.time(of: StreamTime.nearestTick(to: time)) - time
        guard abs(moved) > 500 else { return }
        record(.quantisedTime, source, "the time is moved by \(milliseconds(moved))")
    }

    private func milliseconds(_ time: Microseconds) -> String { "\(Double(time) / 1_000) ms" }
}

/// The rule that examines the drive of an actuator that has a band.
extension Examination {
    /// Reports each event that cannot reach its intensity at its frequency because of the voltage
    /// limit. Of several simultaneous continuous events, the event that began last is assumed to
    /// be the loudest.
    mutating func examineVoltage(of pattern: HapticPattern, _ options: CompilerOptions) {
        guard let band = profile.band.map({ BandDrive($0) }) else { return }
        let mixed = MixedPattern(pattern, options: options)
        var worst = Array(
            repeating: (drive: 1 + Self.leastReported, sharpness: -1.0), count: events.count)
        func examine(_ source: Int, _ intensity: Double, _ sharpness: Double) {
            let drive = band.unlimitedDrive(min(max(intensity, 0), 1), sharpness: sharpness)
            if drive > worst[source].drive { worst[source] = (drive, sharpness) }
        }
        for tap in mixed.taps { examine(tap.source, tap.intensity, tap.sharpness) }
        var spans = mixed.spans[...]
        for piece in mixed.pieces {
            guard let sharpness = piece.sharpness else { continue }
            while spans.count > 1, spans[spans.startIndex + 1].start <= piece.start {
                spans.removeFirst()
            }
            guard let source = spans.first?.source else { continue }
            for time in [piece.start, (piece.start + piece.end) / 2, piece.end] {
                examine(source, piece.level.value(at: time), sharpness.value(at: time))
            }
        }
        for (source, found) in worst.enumerated() where found.sharpness >= 0 {
            let frequency = band.band.frequency(ofSharpness: found.sharpness)
            record(
                .limitedByVoltage, source,
                "the voltage limit permits \(Int((100 / found.drive).rounded())) % of the "
                    + "intensity at \(Int(frequency.rounded())) Hz")
        }
    }

    /// The excess of the drive that is reported: half of a just-noticeable difference.
    private static let leastReported = Fidelity.levelWeber / 2
}

/// Rules that examine a drive plan.
extension Examination {
    mutating func examine(_ losses: [TapLoss]) {
        for loss in losses {
            switch loss.reason {
            case .joined:
                record(
                    .tapsFuse, loss.source,
                    "too close to another tap for the actuator to rise and fall: both are felt as "
                        + "one tap")
            case .hidden:
                record(
                    .hiddenByLevel, loss.source,
                    "too weak to be felt over the level at the same time")
            }
        }
    }
}

/// The rule that examines the whole stream.
extension Examination {
    mutating func examineBudget(of stream: [StreamEvent]) {
        let profile = profile
        let excess = profile.budget.firstExcess(in: stream, tick: StreamTime.tick) {
            profile.tapLength(sharpness: Double($0) / 255)
        }
        guard let excess, let event = events.lastIndex(where: { $0.time <= excess }) else { return }
        record(
            .overBudget, event,
            "at \(milliseconds(excess)) the energy budget is used up: the actuator is limited to "
                + "\(profile.budget.sustainedPercent) %")
    }
}

/// The rule that examines neighboring events.
extension Examination {
    /// Reports overlapping events. Because events are sorted by time, an event overlaps an earlier
    /// event if it starts before the latest end of all earlier events. The event overlaps a later
    /// event if the next event starts before the event ends.
    mutating func examineOverlaps() {
        var latestEnd: Microseconds = 0
        for (index, span) in spans.enumerated() {
            let next = index + 1 < spans.count ? spans[index + 1].start : .max
            if span.start < latestEnd || next < span.end {
                record(
                    .mixedByMaximum, span.source,
                    "overlaps another continuous event; the stronger one is felt")
            }
            latestEnd = max(latestEnd, span.end)
        }
    }
}
