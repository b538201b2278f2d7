// BoardGroup: one pattern on several boards at the same time.

import BridgeLink

/// Boards that play together: each keeps its events to this computer's clock.
public struct BoardGroup {
    /// Which board failed, and how: `PlaybackError`, `LinkEnd` or `TransportError`.
    public struct Failure: Error {
        /// Its place in ``boards``.
        public let board: Int
        public let error: any Error
    }

    /// The boards, in the order in which they were given.
    public let boards: [HapticBoard]

    /// How long one board is served before the next one has its turn, in microseconds.
    private static let turn: Int64 = 500

    public init(_ boards: [HapticBoard]) { self.boards = boards }

    /// Plays event code on every board until all of them are at rest again.
    ///
    /// If one board fails, the others are stopped, and once they are at rest a ``Failure`` is thrown.
    /// - Parameters:
    ///   - events: an event stream.
    ///   - tickMicroseconds: the length of a tick.
    ///   - actuators: those that play it, of each board.
    ///   - start: when tick 0 is, host time (`Link.now()`): at least `shortestLead` ahead.
    ///   - follow: sees the first board's playback in each round. When it returns false, all
    ///     boards are stopped at once.
    /// - Returns: how it went on each board.
    public func play(
        events: [UInt8], tickMicroseconds: Int, on actuators: [ActuatorMask], at start: Int64,
        follow: (Playback) -> Bool = { _ in true }
    ) throws -> [HapticBoard.Playing] {
        var parts = zip(boards, actuators).map { board, mask in
            Part(
                board,
                Playback(
                    events: events, tickMicroseconds: tickMicroseconds, actuators: mask,
                    start: .at(start)))
        }
        var isStopping = false
        while parts.contains(where: { !$0.isOver }) {
            for index in parts.indices { parts[index].step(for: Self.turn) }
            let hasFailed = parts.contains { $0.error != nil }
            if !isStopping, hasFailed || !follow(parts[0].playback) {
                isStopping = true
                for index in parts.indices { parts[index].stop() }
            }
        }
        for part in parts { part.recover() }
        return try parts.enumerated().map { index, part in
            do {
                return try part.result()
            } catch {
                throw Failure(board: index, error: error)
            }
        }
    }

    /// So much time the boards need to prepare a start together, in microseconds: the clocks are
    /// compared, and event memories filled.
    public static let shortestLead: Int64 = 300_000

    /// How many microseconds the boards were apart at most, and how far that may be off: from the
    /// earliest that any of them played anything to the latest. nil if it is not known of each.
    public static func skew(_ playings: [HapticBoard.Playing]) -> StreamTiming? {
        let timings = playings.compactMap(\.progress.timing)
        guard timings.count == playings.count,
            let earliest = timings.map(\.lateness.lowerBound).min(),
            let latest = timings.map(\.lateness.upperBound).max(),
            let bound = timings.map(\.errorBound).max()
        else { return nil }
        return StreamTiming(lateness: 0...(latest - earliest), errorBound: 2 * bound)
    }
}

/// One board's share.
private struct Part {
    let board: HapticBoard
    private(set) var playback: Playback
    private(set) var error: (any Error)?

    init(_ board: HapticBoard, _ playback: Playback) {
        self.board = board
        self.playback = playback
        board.link.withSession { self.playback.begin(&$0, at: $1) }
    }

    var isOver: Bool { error != nil || playback.outcome != nil }

    mutating func step(for time: Int64) {
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

    func result() throws -> HapticBoard.Playing {
        if let error { throw error }
        return HapticBoard.Playing(
            ending: try playback.outcome!.get(), progress: playback.progress)
    }
}
