// BoardGroup: several boards that play one pattern at the same time.

import BridgeLink
import SerialPorts

/// Boards that play one pattern together. The events of each board are synchronized with this
/// computer's clock.
public struct BoardGroup {
    /// The error from a board that failed. The underlying error is a `PlaybackError`, `LinkEnd` or
    /// `TransportError`.
    public struct Failure: Error {
        /// The index of the board in ``boards``.
        public let board: Int
        /// The error that the board failed with.
        public let error: any Error
    }

    /// The boards, in the order in which the caller passed them.
    public let boards: [HapticBoard]

    /// The length of one board's turn before the next board is serviced, in microseconds.
    private static let turn: Microseconds = 500

    /// Creates a group of connected boards.
    public init(_ boards: [HapticBoard]) { self.boards = boards }

    /// Plays event code on every board until all boards are at rest.
    ///
    /// If one board fails, all other boards are stopped, and a ``Failure`` is thrown when these
    /// boards are at rest.
    /// - Parameters:
    ///   - parts: the stream of each board, in the order of ``boards``.
    ///   - start: the host time (`Link.now()`) at which the pattern begins. Tick 0 of each stream,
    ///     which precedes `start` by the stream's lead, must be at least `shortestLead` in the
    ///     future.
    ///   - follow: a closure that receives the first board's playback in each round. When the
    ///     closure returns false, all boards are stopped immediately.
    /// - Returns: the result of the playback on each board.
    public func play(
        _ parts: [Part], at start: HostTime,
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> [HapticBoard.PlaybackSummary] {
        var playbacks = zip(boards, parts).map { board, part in
            PartPlayback(
                board,
                Playback(
                    events: part.events, tickMicroseconds: part.tick,
                    actuators: part.actuators, start: .at(start - part.lead)))
        }
        var isStopping = false
        while playbacks.contains(where: { !$0.isOver }) {
            for index in playbacks.indices { playbacks[index].step(for: Self.turn) }
            let hasFailed = playbacks.contains { $0.error != nil }
            if !isStopping, hasFailed || !follow(playbacks[0].playback) {
                isStopping = true
                for index in playbacks.indices { playbacks[index].stop() }
            }
        }
        for playback in playbacks { playback.recover() }
        return try playbacks.enumerated().map { index, playback in
            do {
                return try playback.result()
            } catch {
                throw Failure(board: index, error: error)
            }
        }
    }

    /// The stream that one board of a group plays.
    public struct Part: Sendable {
        /// The event code of the stream.
        public var events: [UInt8]
        /// The length of a tick, in microseconds.
        public var tick: Int
        /// The time from tick 0 of the stream to the beginning of the pattern, in microseconds.
        public var lead: Microseconds
        /// The actuators that play the stream.
        public var actuators: ActuatorMask

        /// Creates the stream of one board.
        public init(
            events: [UInt8], tick: Int, lead: Microseconds = 0, actuators: ActuatorMask
        ) {
            self.events = events
            self.tick = tick
            self.lead = lead
            self.actuators = actuators
        }
    }

    /// The time that boards need to prepare a common start, in microseconds. During this time, the
    /// clocks of the boards are compared and their event memories are filled.
    public static let shortestLead: Microseconds = 300_000

    /// Returns the maximum time difference between the boards, and the uncertainty of this
    /// difference, both in microseconds. The difference is the maximum lateness minus the minimum
    /// lateness of all events on all boards. Returns nil if the timing of any board is unknown.
    public static func skew(_ playings: [HapticBoard.PlaybackSummary]) -> StreamTiming? {
        let timings = playings.compactMap(\.progress.timing)
        guard timings.count == playings.count,
            let earliest = timings.map(\.lateness.lowerBound).min(),
            let latest = timings.map(\.lateness.upperBound).max(),
            let bound = timings.map(\.errorBound).max()
        else { return nil }
        return StreamTiming(lateness: 0...(latest - earliest), errorBound: 2 * bound)
    }
}

/// The stream of one board during the playback.
private struct PartPlayback {
    let board: HapticBoard
    private(set) var playback: Playback
    private(set) var error: (any Error)?

    init(_ board: HapticBoard, _ playback: Playback) {
        self.board = board
        self.playback = playback
        board.link.withSession { self.playback.begin(&$0, at: $1) }
    }

    var isOver: Bool { error != nil || playback.outcome != nil }

    mutating func step(for time: Microseconds) {
        guard !isOver else { return }
        do {
            try board.link.carryOn(&playback, until: Link.now() + time)
            if case .failure(let failure) = playback.outcome { throw failure }
        } catch {
            self.error = error
        }
    }

    mutating func stop() {
        guard !isOver else { return }
        board.link.withSession { playback.stop(&$0, at: $1) }
    }

    func recover() {
        if let error { board.recover(from: error) }
    }

    func result() throws -> HapticBoard.PlaybackSummary {
        if let error { throw error }
        return HapticBoard.PlaybackSummary(
            completion: try playback.outcome!.get(), progress: playback.progress)
    }
}
