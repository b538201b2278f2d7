// A pattern played from its text to the chip's bus.

import AHAP
import BridgeLink
import HapticCompiler
import VirtualBoard

/// One stream played on a board of coin LRAs, with the comparison of stream and bus.
public struct PlayedPattern {
    public let comparison: DriveComparison
    public let progress: PlaybackProgress
    /// What the chip was given, in microseconds since tick 0.
    public let levels: [LevelWrite]
    let expected: ExpectedDrive
    /// Tick 0 in the trace.
    let origin: BoardTime
    /// See `TracedBoard.findings`.
    public let chipFindings: [String]

    public enum Failure: Error {
        case notConnected
        case notEnded(PlaybackProgress?)
    }

    /// Plays a pattern on a fresh in-process board to its end and at-rest state.
    public init(_ compiled: CompiledPattern) throws {
        let link = SteppedLink(InProcessBoard.configured())
        guard link.connect() else { throw Failure.notConnected }
        try self.init(compiled, on: link)
    }

    /// Plays a pattern over a connected link to its end and at-rest state.
    public init(_ compiled: CompiledPattern, on link: SteppedLink) throws {
        try self.init(
            compiled.bytes, compiled.events, tick: compiled.tick,
            limit: compiled.renderedDuration + 3_000_000, on: link)
    }

    /// Plays a stream of which `bytes` are the code and `events` the meaning.
    public init(
        _ bytes: [UInt8], _ events: [StreamEvent], tick: BoardTime = 250,
        start: Playback.StartTime = .after(20_000), limit: BoardTime, on link: SteppedLink
    ) throws {
        guard let playback = link.play(bytes, tick: Int(tick), start: start, limit: limit) else {
            throw Failure.notEnded(link.current?.progress)
        }
        _ = try playback.outcome?.get()
        progress = playback.progress
        let board = link.board as? any TracedBoard
        origin = board?.traceTime(of: playback.progress.startTime ?? 0) ?? 0
        let transactions = link.board.transactions
        levels = transactions.levels.played(from: origin)
        expected = ExpectedDrive(events, origin: origin, tick: tick, tapLength: Self.tapLength)
        chipFindings = board?.findings ?? []
        comparison = DriveComparison(transactions, expected, origin: origin)
    }

    /// SPEC 8: linear from dull to sharp, in 65,536ths.
    private static func tapLength(_ sharpness: UInt8) -> BoardTime {
        let configuration = ActuatorConfiguration.coinLRA
        let (dull, sharp) = (BoardTime(configuration.tapDull), BoardTime(configuration.tapSharp))
        return dull - ((dull - sharp) * BoardTime(sharpness) * 257 + 32_768) / 65_536
    }
}
