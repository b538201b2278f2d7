// Rehearsal: plays a stream on a simulated board to determine the drive that the actuator will
// receive. The simulation uses the real session, the real firmware core and the model of the chip.
// The simulation runs in virtual time, so it need not wait, and it skips the middle of long
// intervals in which nothing changes.

import BridgeLink
import HapticCompiler
import VirtualBoard

/// The drive of an actuator while a stream is played.
public struct Rehearsal {
    /// The drive from tick 0 on, with times in microseconds of the stream and values of -255...255
    /// of full scale. The last change is to 0.
    public let drive: [DriveChange]
    /// The progress of the playback, which contains the numbers of late events, skipped taps and
    /// underruns.
    public let progress: PlaybackProgress
    /// The board time that was simulated, in microseconds.
    public let simulatedTime: BoardTime

    /// The reason why a stream could not be played.
    public enum Failure: Error {
        case notConnected
        case notEnded
        case failed(PlaybackError)
    }

    /// The time between the start command and tick 0 of the stream, in microseconds.
    private static let lead: Int32 = 20_000
    /// The maximum time for connecting and for coming to rest, in microseconds. The length of the
    /// stream is added to this time.
    private static let patience: BoardTime = 4_000_000

    /// Plays a stream on a new simulated board.
    ///
    /// - Parameters:
    ///   - events: event code up to and including END.
    ///   - tick: the length of a tick in microseconds.
    ///   - length: the time from tick 0 to END in microseconds.
    ///   - configuration: the configuration of the actuator, which a device must accept (SPEC 8).
    ///   - follow: a closure that receives the progress of the simulation, 0 to 1.
    public init(
        of events: [UInt8], tick: Int, length: Microseconds,
        on configuration: ActuatorConfiguration, follow: (Double) -> Void = { _ in }
    ) throws(Failure) {
        // A stream without an END is played unchanged, so the board rejects the stream.
        let shortened = (try? EventStreamDecoder.decode(events)).map {
            ShortenedStream($0, tick: Microseconds(tick), on: configuration)
        }
        let limit = length - (shortened?.removed ?? 0) + Self.patience
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        options.port = Self.port
        let board = InProcessBoard(options: options)
        let host = Host(board)
        guard host.run(for: Self.patience, until: { host.session.phase == .open }) else {
            throw .notConnected
        }
        host.begin(
            Playback(
                events: shortened.flatMap { $0.isWhole ? nil : $0.code } ?? events,
                tickMicroseconds: tick, actuators: ActuatorMask(index: 0),
                start: .after(Self.lead)))
        _ = host.run(for: limit) {
            host.playback?.progress.startTime != nil || host.playback?.outcome != nil
        }
        guard let start = host.playback?.progress.startTime else { throw .notEnded }
        let origin = board.boardTime(of: start)
        let hasEnded = host.run(for: limit) {
            follow(Double(board.now - origin) / Double(limit))
            return host.playback?.outcome != nil
        }
        guard hasEnded, let playback = host.playback else { throw .notEnded }
        if case .failure(let error) = playback.outcome { throw .failed(error) }
        progress = playback.progress
        simulatedTime = board.now
        let drive = host.drive.filter { $0.actuator == 0 }.map {
            DriveChange(
                time: $0.time - origin, actuator: 0, drive: $0.drive, frequency: $0.frequency)
        }
        self.drive = shortened?.whole(drive) ?? drive
    }

    /// The main loop of the board. The times of writes do not depend on the times of the
    /// iterations, so the loop runs as rarely as the core permits.
    private static let port = InProcessBoard.Port(interval: 1_000, isAttentive: false)
}

/// A host session and a board that share one thread and one clock.
private final class Host {
    private let board: InProcessBoard
    private var pump: SessionPump
    private(set) var playback: Playback?
    /// The changes of the drive so far.
    private(set) var drive: [DriveChange] = []

    var session: LinkSession { pump.session }

    /// The maximum delay of an answer on its way to the host, in microseconds.
    private static let stride: BoardTime = 2_000

    init(_ board: InProcessBoard) {
        self.board = board
        // The drive is evaluated on the clock of the device, so the session must not synchronize
        // the stream with the clock of the host.
        var timing = LinkTiming.standard
        timing.clock = nil
        pump = SessionPump(board, sessionID: 1, timing: timing)
    }

    func begin(_ playback: Playback) {
        self.playback = playback
        self.playback?.begin(&pump.session, at: pump.now)
    }

    /// Runs until a condition is true. Returns false if the condition is still false after the
    /// given number of microseconds.
    func run(for limit: BoardTime, until condition: () -> Bool) -> Bool {
        let end = board.now + limit
        while !condition() {
            guard board.now < end else { return false }
            pump.session.poll(at: pump.now)
            pump.send()
            let arrived = arrived(before: end)
            drive += board.driveChanges
            board.forgetTrace()
            pump.session.receive(arrived, at: pump.now)
            while let event = pump.session.nextEvent() {
                playback?.handle(event, &pump.session, at: pump.now)
            }
            playback?.advance(&pump.session, at: pump.now)
        }
        return true
    }

    /// Advances the board until it has sent bytes or the host must act, and returns the bytes.
    private func arrived(before end: BoardTime) -> [UInt8] {
        let isWaiting = pump.session.isOutputWaiting
        let deadlines = [pump.session.nextDeadline, playback?.nextDeadline].compactMap(\.self)
        let due = min(deadlines.min() ?? .never, HostTime(microseconds: end))
        var arrived: [UInt8] = []
        repeat {
            board.advance(to: board.now + Self.stride)
            arrived = pump.drainArrived()
        } while arrived.isEmpty && !isWaiting && pump.now < due
        return arrived
    }
}
