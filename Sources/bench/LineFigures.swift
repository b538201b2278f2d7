// What a session says and hears beside event code, on a modelled USB line.

import BridgeLink
import HapticCompiler
import TestSupport

enum LineFigures {
    private static let seeds: ClosedRange<UInt64> = 1...4
    /// A pattern that is played as soon as the link is there, and a long one.
    private static let lengths: [Microseconds] = [1_700_000, 20_000_000]
    private static let spacing: Microseconds = 250_000

    static func print() throws {
        note("bytes on the line")
        var worst = 0.0
        for length in lengths {
            let rates = try seeds.map { try playing(length, seed: $0) }
            note("  a pattern of \(Double(length) / 1e6) s: \(Int(rates.max()!)) bytes/s")
            worst = max(worst, rates.max()!)
        }
        printFigure("playing_bytes_per_second", worst, "bytes/s", decimals: 0)
        let idle = try seeds.map(idle).max()!
        printFigure("idle_bytes_per_second", idle, "bytes/s", decimals: 0)
    }

    /// From HELLO until all is at rest, event code left out; the busier direction.
    private static func playing(_ length: Microseconds, seed: UInt64) throws -> Double {
        let count = Int(length / spacing)
        let events = [StreamEvent].differingLevels(
            count, ticksApart: Int(spacing / 250), seed: seed)
        let end = StreamEvent(.end, at: Ticks(length / 250))
        let bytes = EventStreamEncoder.encode(events + [end])
        let link = ModelledLink(.usb, drift: 60, seed: seed)
        guard link.connect() else { throw Failure(what: "no session") }
        link.begin(bytes, start: .after(20_000))
        guard link.run(until: link.now + length + 2_000_000, { $0.playback?.outcome != nil })
        else { throw Failure(what: "not played") }
        return rate(link.session.statistics, over: link.now, without: bytes.count)
    }

    /// A session with a stream that has nothing to play, as an engine's.
    private static func idle(seed: UInt64) throws -> Double {
        let link = ModelledLink(.usb, drift: 60, seed: seed)
        guard link.connect() else { throw Failure(what: "no session") }
        link.open()
        _ = link.run(until: link.now + 1_000_000) { _ in false }
        let before = link.session.statistics
        let start = link.now
        _ = link.run(until: start + 60_000_000) { _ in false }
        var statistics = link.session.statistics
        statistics.bytesSent -= before.bytesSent
        statistics.bytesReceived -= before.bytesReceived
        return rate(statistics, over: link.now - start, without: 0)
    }

    private static func rate(
        _ statistics: LinkStatistics, over time: Microseconds, without code: Int
    ) -> Double {
        let bytes = max(statistics.bytesSent - code, statistics.bytesReceived)
        return Double(bytes) / (Double(time) / 1_000_000)
    }

    private struct Failure: Error, CustomStringConvertible {
        var what: String
        var description: String { what }
    }
}
