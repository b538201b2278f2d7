// A pattern played from its text to the chip's bus, in simulated time.

import AHAP
import BridgeLink
import HapticCompiler
import VirtualBoard

/// One pattern on one fresh in-process board, with the comparison of stream and bus.
public struct PlayedPattern {
    public let compiled: CompiledPattern
    public let comparison: DriveComparison
    public let progress: PlaybackProgress
    /// Undefined accesses, stale starts and one-time programming that the chip model saw.
    public let chipFindings: [String]

    public enum Failure: Error {
        case notConnected
        case notEnded(PlaybackProgress?)
    }

    /// Plays a pattern to its end and at-rest state.
    public init(_ pattern: HapticPattern, profile: DeviceProfile = .reference) throws {
        compiled = HapticCompiler.compile(pattern, profile: profile)
        let board = InProcessBoard.configured()
        let link = SteppedLink(board)
        guard link.connect() else { throw Failure.notConnected }
        let limit = compiled.renderedDuration + 2_000_000
        guard let playback = link.play(compiled.bytes, tick: Int(compiled.tick), limit: limit)
        else {
            throw Failure.notEnded(link.current?.progress)
        }
        _ = try playback.outcome?.get()
        progress = playback.progress
        let origin = board.boardTime(of: playback.progress.startTime ?? 0)
        let expected = ExpectedDrive(
            compiled.events, origin: origin, tick: compiled.tick, tapLength: Self.tapLength)
        comparison = DriveComparison(board.transactions, expected, origin: origin)
        chipFindings = board.findings
    }

    /// SPEC 8: linear from dull to sharp, in whole microseconds.
    private static func tapLength(_ sharpness: UInt8) -> BoardTime {
        let configuration = ActuatorConfiguration.coinLRA
        let (dull, sharp) = (BoardTime(configuration.tapDull), BoardTime(configuration.tapSharp))
        return dull - (dull - sharp) * BoardTime(sharpness) / 255
    }
}

extension InProcessBoard {
    /// What the chip model found wrong with how it was used.
    public var findings: [String] {
        let chip = chip.pointee
        var findings: [String] = []
        if chip.undefined_accesses > 0 {
            findings.append("\(chip.undefined_accesses) undefined accesses")
        }
        if chip.stale_rtp_starts > 0 { findings.append("\(chip.stale_rtp_starts) stale starts") }
        if chip.otp_programmed { findings.append("one-time memory programmed") }
        return findings
    }
}
