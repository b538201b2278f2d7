// PlayedPattern: the playback of a compiled pattern, observed on the chip's bus.

import BridgeLink
import DRV2605
import HapticCompiler
import HapticPatterns
import Prediction
import VirtualBoard

/// A stream that was played on a board with coin LRAs, and a comparison of the stream with the bus
/// traffic.
public struct PlayedPattern {
    package let comparison: DriveComparison
    public let progress: PlaybackProgress
    /// The levels that were written to the chip, with times in microseconds since tick 0.
    public let levels: [LevelWrite]
    let expected: ExpectedDrive
    /// The time of tick 0 in the trace.
    let origin: BoardTime
    /// The errors in the use of the chip (`TracedBoard.findings`).
    public let chipFindings: [String]

    public enum Failure: Error {
        case notConnected
        case notEnded(PlaybackProgress?)
    }

    /// Plays a pattern on a new in-process board until the board is at rest.
    public init(_ compiled: CompiledPattern) throws {
        let link = IdealLink(InProcessBoard.configured())
        guard link.connect() else { throw Failure.notConnected }
        try self.init(compiled, on: link)
    }

    /// Plays a pattern over a connected link until the board is at rest.
    public init(_ compiled: CompiledPattern, on link: IdealLink) throws {
        try self.init(
            compiled.bytes, compiled.events, tick: compiled.tick,
            limit: compiled.renderedDuration + 3_000_000, on: link)
    }

    /// Plays a stream with the code `bytes` and the events `events`.
    public init(
        _ bytes: [UInt8], _ events: [StreamEvent], tick: BoardTime = 250,
        start: Playback.StartTime = .after(20_000), limit: BoardTime, on link: IdealLink
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

    /// Returns the length of a tap according to SPEC 8: a linear interpolation between the lengths
    /// of a dull tap and a sharp tap, in units of 1/65,536.
    private static func tapLength(_ sharpness: UInt8) -> BoardTime {
        let configuration = ActuatorConfiguration.coinLRA
        let (dull, sharp) = (BoardTime(configuration.tapDull), BoardTime(configuration.tapSharp))
        return dull - ((dull - sharp) * BoardTime(sharpness) * 257 + 32_768) / 65_536
    }
}
