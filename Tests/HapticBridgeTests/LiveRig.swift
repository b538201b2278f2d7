// LiveRig: a live stream on the in-process board in simulated time. The rig uses the real code for
// the session, the line and the clock, but does not wait in real time.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import SerialPorts
import TestSupport
import VirtualBoard

@testable import BoardEngine
@testable import HapticBridge

/// A host and a board with one clock, and a `LiveStream` between them.
final class LiveRig: TracedRig {
    let board: InProcessBoard
    private var pump: SessionPump
    private(set) var live: LiveStream
    /// The finished players, each with the time at which its end was reported.
    private(set) var finished: [(time: HostTime, player: PlayerID)] = []
    /// The REJECT messages, and other events that should not occur.
    private(set) var troubles: [LinkEvent] = []
    private(set) var lastStatus: Status?
    private var stalledUntil: BoardTime = 0
    /// The simulated time that the host needs to prepare each REVISE.
    var preparation: BoardTime = 0
    private var lastPlayer: UInt64 = 0
    var forgotten = 0
    private let stride: BoardTime

    var now: HostTime { pump.now }
    var session: LinkSession { pump.session }

    init(
        stride: BoardTime = 250, configuration: ActuatorConfiguration = .coinLRA,
        actuators: Int = 1, memory: UInt16 = 0, profile: DeviceProfile = .reference
    ) {
        var options = InProcessBoard.Options()
        options.actuators = actuators
        live = LiveStream(
            actuators: (0..<actuators).reduce(into: []) { $0.insert(ActuatorMask(index: $1)) },
            memory: memory, profile: profile)
        options.configuration = configuration.bytes
        board = InProcessBoard(options: options)
        self.stride = stride
        pump = SessionPump(board, sessionID: 0x1234_5678)
        connect()
    }

    /// Connects, compares the clocks and opens the stream.
    func connect() {
        while session.phase == .connecting { step() }
        run(for: 100_000)
        live.begin(&pump.session, at: now)
        while live.phase != .open, live.failure == nil { step() }
    }

    // MARK: Players

    /// Returns a new player that has not been started.
    func player(_ pattern: HapticPattern) -> PlayerID {
        lastPlayer += 1
        let id = PlayerID(number: lastPlayer)
        live.perform(.add(PlayerVoice(pattern)), of: id)
        return id
    }

    func perform(_ command: PlayerCommand, of player: PlayerID) {
        live.perform(command, of: player)
    }

    /// Performs a command, and runs until the command has been executed. Returns the time of the
    /// request and the time at which the command takes effect.
    func carryOut(
        _ command: PlayerCommand, of player: PlayerID
    ) -> (called: HostTime, effect: HostTime) {
        let before = live.segment?.start
        perform(command, of: player)
        let called = max(now, TimedCommand(player: player, command: command).due)
        while !live.commands.isEmpty { run(for: 500) }
        let start = live.segment?.start ?? 0
        let isNew = live.segment?.start != before || start > called
        return (called, max(called, isNew ? start : 0))
    }

    /// Ends all players, as STOP does.
    func stopAll() { live.stopAll(&pump.session, at: now) }

    // MARK: Time

    func run(for time: Microseconds) {
        let end = now + time
        while now < end { step() }
    }

    func run(until time: HostTime) { run(for: time - now) }

    /// Stalls the line. The board receives no bytes for `time` microseconds, and then receives all
    /// delayed bytes at once.
    func stall(for time: Microseconds) { stalledUntil = board.now + time }

    private func step() {
        pump.session.poll(at: now)
        live.carryOutUnfelt(at: now)
        live.advance(&pump.session, at: now)
        if live.revisingSince != nil { board.advance(to: board.now + preparation) }
        live.feed(&pump.session, at: now)
        pump.send(notBefore: stalledUntil)
        board.advance(to: board.now + stride)
        pump.session.receive(pump.drainArrived(), at: now)
        while let event = pump.session.nextEvent() {
            record(event)
            live.handle(event, &pump.session, at: now)
        }
        for player in live.removeFinished(at: now) { finished.append((now, player)) }
    }

    private func record(_ event: LinkEvent) {
        switch event {
        case .rejected, .dropped, .ended, .outcomeUnknown: troubles.append(event)
        case .status(let status, _): lastStatus = status
        default: break
        }
    }

    // MARK: The bus trace

    /// The latched faults that the board reports in response to a query.
    var faults: Faults {
        pump.session.ask(.status)
        run(for: 20_000)
        return lastStatus?.faults ?? []
    }
}

extension HapticPattern {
    /// Returns a pattern with one continuous event.
    static func held(_ intensity: Double, for duration: Microseconds? = nil) -> HapticPattern {
        HapticPattern(events: [
            HapticEvent(.hapticContinuous, time: 0, duration: duration, intensity: intensity)
        ])
    }

    /// Returns a pattern with one tap at `time`.
    static func tap(_ intensity: Double, at time: Microseconds = 0) -> HapticPattern {
        HapticPattern(events: [HapticEvent(.hapticTransient, time: time, intensity: intensity)])
    }
}

extension CHHapticPattern {
    /// Returns a pattern with one event, which must be valid.
    private static func one(
        _ type: CHHapticEvent.EventType, _ intensity: Double, at time: Microseconds,
        for duration: Microseconds? = nil
    ) -> CHHapticPattern {
        let event = CHHapticEvent(
            eventType: type,
            parameters: [.init(parameterID: .hapticIntensity, value: Float(intensity))],
            relativeTime: TimeInterval(time) / 1_000_000)
        if let duration { event.duration = TimeInterval(duration) / 1_000_000 }
        return try! CHHapticPattern(events: [event], parameters: [])
    }

    /// Returns a pattern with one continuous event.
    static func held(_ intensity: Double, for duration: Microseconds? = nil) -> CHHapticPattern {
        .one(.hapticContinuous, intensity, at: 0, for: duration)
    }

    /// Returns a pattern with one tap at `time`.
    static func tap(_ intensity: Double, at time: Microseconds = 0) -> CHHapticPattern {
        .one(.hapticTransient, intensity, at: time)
    }
}
