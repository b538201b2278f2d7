// Rehearsal: a stream played on a board of this process in virtual time, to see what its actuator
// will be given. The real session, the real core, the chip's model; no waiting.

public import BridgeLink

/// What drives an actuator while a stream plays.
public struct Rehearsal {
    /// The drive from tick 0 on: times in microseconds of the stream, -255...255 of full scale. The
    /// last change is to 0.
    public let drive: [DriveChange]
    /// How the playback went, for what came late or was left out.
    public let progress: PlaybackProgress

    /// Why a stream could not be played.
    public enum Failure: Error {
        case notConnected
        case notEnded
        case failed(PlaybackError)
    }

    /// How far ahead of tick 0 the stream is started, in microseconds.
    private static let lead: UInt32 = 20_000
    /// What connecting and coming to rest may take beyond the stream.
    private static let patience: BoardTime = 4_000_000

    /// Plays a stream on a fresh board.
    ///
    /// - Parameters:
    ///   - events: event code up to and including END.
    ///   - tick: microseconds of a tick.
    ///   - length: microseconds from tick 0 to END.
    ///   - configuration: one that a device takes (SPEC 8).
    public init(
        of events: [UInt8], tick: Int, length: Microseconds,
        on configuration: ActuatorConfiguration
    ) throws(Failure) {
        var options = InProcessBoard.Options()
        options.configuration = configuration.bytes
        let board = InProcessBoard(options: options)
        let host = Host(board)
        guard host.run(for: Self.patience, until: { host.session.phase == .open }) else {
            throw .notConnected
        }
        host.begin(
            Playback(
                events: events, tickMicroseconds: tick, actuators: ActuatorMask(index: 0),
                start: .after(Self.lead)))
        let limit = length + Self.patience
        guard host.run(for: limit, until: { host.playback?.outcome != nil }),
            let playback = host.playback, let start = playback.progress.startTime
        else { throw .notEnded }
        if case .failure(let error) = playback.outcome { throw .failed(error) }
        let origin = board.boardTime(of: start)
        progress = playback.progress
        drive = board.driveChanges.filter { $0.actuator == 0 }.map {
            DriveChange(time: $0.time - origin, actuator: 0, drive: $0.drive)
        }
    }
}

/// A host session on a board, one thread and one clock for both.
private final class Host {
    private let board: InProcessBoard
    private(set) var session: LinkSession
    private(set) var playback: Playback?
    private var lineFree: BoardTime = 0

    /// How soon the host hears an answer.
    private static let stride: BoardTime = 500

    init(_ board: InProcessBoard) {
        self.board = board
        // What plays is judged on the device's own clock: nothing bends it towards the host's.
        var timing = LinkTiming.standard
        timing.clock = nil
        session = LinkSession(sessionID: 1, timing: timing, at: board.now)
    }

    func begin(_ playback: Playback) {
        self.playback = playback
        self.playback?.begin(&session, at: board.now)
    }

    /// Runs until a condition holds; false if it does not within so many microseconds.
    func run(for limit: BoardTime, until condition: () -> Bool) -> Bool {
        let end = board.now + limit
        while !condition() {
            guard board.now < end else { return false }
            speak()
            board.advance(to: board.now + Self.stride)
            session.receive(board.takeSent().map(\.byte), at: board.now)
            while let event = session.nextEvent() {
                playback?.handle(event, &session, at: board.now)
            }
            playback?.advance(&session, at: board.now)
        }
        return true
    }

    private func speak() {
        session.poll(at: board.now)
        let byteTime = session.timing.byteTime
        let unsent = Int(max(0, lineFree - board.now) / byteTime)
        let output = session.takeOutput(limit: Link.unsentMax - unsent, at: board.now)
        guard !output.isEmpty else { return }
        lineFree = max(lineFree, board.now) + BoardTime(output.count) * byteTime
        board.send(output, at: board.now)
    }
}
