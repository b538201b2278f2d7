// BoardSession: the session with a board, from HELLO until the port is closed, with at most one
// playback. The session creates the reports that the page shows.

import BridgeLink
import DRV2605
import HapticBoards
import HapticCompiler
import HapticPatterns
import JSONText

/// The session of a page with a board.
final class BoardSession {
    private(set) var session: LinkSession
    /// The reports for the page that the page has not taken.
    private(set) var reports: [JSONValue] = []
    private(set) var playback: Playback?
    private(set) var welcome: Welcome?
    private var statuses: [UInt8: ActuatorStatus] = [:]
    private var configurations: [UInt8: ActuatorConfiguration] = [:]
    /// The time at which the actuators that are being set up are queried again; nil if no actuator
    /// is being set up.
    private var queryAt: HostTime?
    /// The configuration or calibration that is in progress.
    private var setup: BoardSetup?
    private var latestStatus: Status?
    /// The faults that have been reported to the page.
    private var knownFaults: Faults = []
    /// The latest description of the board that was reported to the page.
    private var latestDescription: JSONValue?
    /// The user's gain, 0...255.
    private var gain: UInt8 = 255
    /// True after the page has been informed that the playback has begun.
    private var isPlayingReported = false
    /// The STOP that was sent while no pattern was playing, and the stream that begins when the
    /// STOP has been answered. The stream must wait, because a STOP also ends a stream that is
    /// opened before the answer to the STOP.
    private var stopping: RequestID?
    private var next: CompiledPattern?
    /// The stream that is repeated when it has been played; nil if the playback is not a loop.
    private var loop: CompiledPattern?

    private static let queryInterval: Microseconds = 20_000

    init(id: UInt32, gain: UInt8, at now: HostTime) {
        session = LinkSession(sessionID: id, at: now)
        self.gain = gain
    }

    // MARK: Running

    func receive(_ bytes: [UInt8], at now: HostTime) {
        session.receive(bytes, at: now)
        process(at: now)
    }

    /// Returns the bytes to write now, while `unsent` bytes are waiting on the line.
    func nextOutput(unsent: Int, at now: HostTime) -> [UInt8] {
        session.poll(at: now)
        process(at: now)
        return session.nextOutput(limit: session.unsentLimit - unsent, at: now)
    }

    /// The time at which `nextOutput` must be called again, even if no bytes arrive before then.
    var deadline: HostTime {
        [session.nextDeadline, playback?.nextDeadline, queryAt, setup?.storedAt].compactMap { $0 }
            .min() ?? .never
    }

    /// Returns the reports since the last call.
    func takeReports() -> [JSONValue] {
        defer { reports = [] }
        return reports
    }

    private func process(at now: HostTime) {
        while let event = session.nextEvent() {
            // The playback handles the event first, because the event may begin another playback.
            playback?.handle(event, &session, at: now)
            record(event, at: now)
            followSetup(event, at: now)
        }
        setup?.advance(&session, at: now)
        playback?.advance(&session, at: now)
        followPlayback(at: now)
        if let time = queryAt, now >= time {
            queryAt = nil
            for status in statuses.values where !status.isSettled {
                session.ask(.actuator(status.actuator))
            }
        }
    }

    // MARK: The board

    private func record(_ event: LinkEvent, at now: HostTime) {
        switch event {
        case .connected(let welcome):
            self.welcome = welcome
            for actuator in 0..<welcome.actuators { session.ask(.actuator(actuator)) }
            session.ask(.status)
            session.send(.gain(Gain(actuators: .all(of: welcome), gain: gain)))
        case .ended(let end):
            reports.append(.ended(end))
        case .actuator(let status, _): record(status, at: now)
        case .configuration(let answer, _):
            configurations[answer.actuator] = answer.configuration
            describe()
        case .status(let status, _):
            latestStatus = status
            record(status.faults)
        case .stopped(let request) where request == stopping:
            stopping = nil
            if let next { begin(next, at: now) }
            next = nil
        default: break
        }
    }

    private func record(_ status: ActuatorStatus, at now: HostTime) {
        statuses[status.actuator] = status
        guard status.isSettled else {
            queryAt = now + Self.queryInterval
            return
        }
        if setup?.actuator == status.actuator { configurations[status.actuator] = nil }
        if status.kind != .none, configurations[status.actuator] == nil {
            session.ask(.configuration(actuator: status.actuator))
        } else {
            describe()
        }
    }

    private func record(_ faults: Faults) {
        let faults = faults.intersection(Faults.ofDriver.union([.bus, .deadMan, .storage]))
        let unknown = faults.subtracting(knownFaults)
        knownFaults = faults
        guard !unknown.isEmpty, let welcome else { return }
        reports.append(
            .report(
                "faults", ("message", .text(unknown.description)),
                ("advice", .texts(unknown.advice(on: welcome.kind)))))
    }

    /// Reports the properties of the board to the page when all of them are known, and again after
    /// a change.
    private func describe() {
        guard let welcome, statuses.count == Int(welcome.actuators),
            statuses.values.allSatisfy({
                $0.isSettled && ($0.kind == .none || configurations[$0.actuator] != nil)
            })
        else { return }
        let actuators = statuses.values.sorted { $0.actuator < $1.actuator }
        let description = JSONValue.report(
            "board", ("kind", .text("\(welcome.kind)")),
            ("firmware", .text(welcome.firmwareVersion)), ("update", .update(of: welcome)),
            ("actuators", .list(actuators.map { describe($0) })))
        guard description != latestDescription else { return }
        latestDescription = description
        reports.append(description)
    }

    private func describe(_ status: ActuatorStatus) -> JSONValue {
        .members(
            ("index", .integer(status.actuator)), ("kind", .text("\(status.kind)")),
            ("name", .text(configurations[status.actuator]?.name)),
            ("state", .text("\(status.state)")), ("canPlay", .flag(status.state.canPlay)),
            ("isLocked", .flag(status.isLocked)))
    }

    /// The actuators that play.
    private var players: [UInt8] {
        statuses.values.filter { $0.kind != .none && $0.state.canPlay }.map { $0.actuator }.sorted()
    }

    /// The profile of the actuators that play; nil if no actuator can play.
    var profile: DeviceProfile? {
        DeviceProfile(of: players.compactMap { configurations[$0] })
    }

    /// The configuration of the first actuator that plays; nil if no actuator can play.
    var configuration: ActuatorConfiguration? { players.first.flatMap { configurations[$0] } }

    // MARK: Setting up

    /// Configures an actuator as a known actuator, and stores the configuration if the board
    /// supports this.
    func configure(_ actuator: UInt8, as part: NamedActuator) {
        guard mayBeSetUp(actuator), let chipID = statuses[actuator]?.chipID else { return }
        guard let chip = HapticChip(deviceID: chipID) else {
            return fail("actuator \(actuator) has no working driver chip (id \(chipID))", [])
        }
        setup = BoardSetup(
            actuator, part.configuration(for: chip), former: configurations[actuator], &session)
    }

    /// Calibrates the driver to its actuator, and stores the result if the board supports this.
    func calibrate(_ actuator: UInt8) {
        guard mayBeSetUp(actuator) else { return }
        guard players.contains(actuator) else {
            return fail("actuator \(actuator) is not configured, or cannot be driven", [])
        }
        setup = BoardSetup(calibrating: actuator, after: latestStatus, &session)
    }

    private func mayBeSetUp(_ actuator: UInt8) -> Bool {
        guard session.phase == .open, playback == nil, setup == nil else {
            fail("actuator \(actuator): the board is busy; try again when it is at rest", [])
            return false
        }
        if statuses[actuator] == nil { fail("the board has no actuator \(actuator)", []) }
        return statuses[actuator] != nil
    }

    private func followSetup(_ event: LinkEvent, at now: HostTime) {
        guard let welcome, let result = setup?.handle(event, &session, on: welcome, at: now)
        else { return }
        setup = nil
        if result.hasFailed { return fail(result.message, result.advice) }
        reports.append(.report("setUp", ("message", .text(result.message))))
    }

    /// Sets the gain of all actuators, 0...255.
    func setGain(_ gain: UInt8) {
        self.gain = gain
        guard let welcome, session.phase == .open else { return }
        session.send(.gain(Gain(actuators: .all(of: welcome), gain: gain)))
    }

    // MARK: Playing

    /// Plays a stream on all actuators that can play.
    func play(_ stream: CompiledPattern, isLoop: Bool, at now: HostTime) {
        guard session.phase == .open, welcome != nil else {
            return fail("no board is connected", [])
        }
        guard playback == nil, setup == nil else {
            return fail("another pattern is playing, or an actuator is being set up", [])
        }
        guard !players.isEmpty else {
            return fail(
                statuses.values.contains(where: { $0.kind != .none })
                    ? "no actuator can be driven" : "no actuator is configured",
                welcome.map { knownFaults.isEmpty ? [] : knownFaults.advice(on: $0.kind) } ?? [])
        }
        loop = isLoop ? stream : nil
        if stopping == nil { begin(stream, at: now) } else { next = stream }
    }

    private func begin(_ stream: CompiledPattern, at now: HostTime) {
        let actuators = players.reduce(into: ActuatorMask()) {
            $0.insert(ActuatorMask(index: Int($1)))
        }
        isPlayingReported = false
        // The lead is chosen for the strongest taps. A stream that begins with a weak tap is
        // therefore silent at first, and its start may lie in the past by the duration of this
        // silence: the time of START is signed (SPEC 4.4).
        let silence = min(stream.lead, StreamTime.time(of: stream.events.first?.tick ?? 0))
        let lead = Playback.shortestLead(on: actuators, of: statuses.count)
        playback = Playback(
            events: stream.bytes, tickMicroseconds: Int(stream.tick), actuators: actuators,
            start: .after(lead - Int32(clamping: silence)))
        playback?.begin(&session, at: now)
    }

    /// Brings all actuators to rest immediately.
    func stop(at now: HostTime) {
        if next != nil {
            reports.append(.played(.success(.stopped), PlaybackProgress(), on: .unknown))
        }
        (loop, next) = (nil, nil)
        if let setup, !setup.isStoring {
            self.setup = nil
            fail("stopped: nothing was stored on the board", [])
        }
        if playback != nil {
            playback?.stop(&session, at: now)
        } else if session.phase == .open {
            stopping = session.stop()
        }
    }

    private func followPlayback(at now: HostTime) {
        guard let playback else { return }
        if let stamp = playback.progress.startTime, !isPlayingReported {
            isPlayingReported = true
            let start = session.clock.hostTime(ofDevice: session.clock.extend(stamp, near: now))
            reports.append(
                .report("playing", ("time", .integer((start?.time ?? now).microseconds))))
        }
        guard let outcome = playback.outcome else { return }
        self.playback = nil
        if case .success(.played) = outcome, let loop, !players.isEmpty {
            return begin(loop, at: now)
        }
        loop = nil
        reports.append(.played(outcome, playback.progress, on: welcome?.kind ?? .unknown))
    }

    func fail(_ message: String, _ advice: [String]) {
        reports.append(.report("failed", ("message", .text(message)), ("advice", .texts(advice))))
    }
}

extension ActuatorMask {
    /// Returns all actuators of a board.
    fileprivate static func all(of welcome: Welcome) -> ActuatorMask {
        (0..<Int(welcome.actuators)).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) }
    }
}

extension JSONValue {
    /// Returns the report that a session has ended.
    fileprivate static func ended(_ end: LinkEnd) -> JSONValue {
        let wasReset = if case .sessionLost = end { true } else { false }
        return .report("ended", ("message", .text("\(end)")), ("wasReset", .flag(wasReset)))
    }

    /// Returns the report that a playback has ended.
    fileprivate static func played(
        _ outcome: Result<Playback.Completion, PlaybackError>, _ progress: PlaybackProgress,
        on kind: BoardKind
    ) -> JSONValue {
        var (name, message): (String, String?) = ("played", nil)
        switch outcome {
        case .success(.played): break
        case .success(.stopped): name = "stopped"
        case .failure(let error): (name, message) = ("failed", "\(error)")
        }
        let advice = progress.faults.isEmpty ? [] : progress.faults.advice(on: kind)
        return .report(
            name, ("message", .text(message)),
            ("advice", .texts(message == nil ? [] : advice)),
            ("late", .integer(progress.lateEvents)), ("skipped", .integer(progress.skippedTaps)),
            ("underruns", .integer(progress.underruns)),
            ("latestAtMost", .integer(progress.latestAtMost)))
    }
}
