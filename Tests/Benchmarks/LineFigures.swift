// Figures of the session's traffic without event code, on a modeled USB line.

import BridgeLink
import HapticCompiler
import TestSupport

enum LineFigures {
    private static let seeds: ClosedRange<UInt64> = 1...4
    /// The length of a pattern. At this length, the initial clock messages, which follow each other
    /// quickly, hardly affect the average.
    private static let long: Microseconds = 20_000_000
    private static let short: Microseconds = 1_700_000
    private static let spacing: Microseconds = 250_000

    static func print() throws {
        note("bytes on the line")
        let steady = try seeds.map { try rate(playing(long, seed: $0)) }.max()!
        printFigure("playing_bytes_per_second", steady, "bytes/s", decimals: 0)
        let whole = try seeds.map { try playing(short, seed: $0).bytes }.max()!
        printFigure("connect_and_play_1700ms_bytes", Double(whole), "bytes", decimals: 0)
        let idle = try seeds.map(idle).max()!
        printFigure("idle_bytes_per_second", idle, "bytes/s", decimals: 0)
    }

    /// The traffic in the busier direction of the line: the bytes and their duration.
    private typealias Traffic = (bytes: Int, time: Microseconds)

    /// Plays a pattern. Returns the traffic from HELLO until all actuators are at rest, without
    /// event code.
    private static func playing(_ length: Microseconds, seed: UInt64) throws -> Traffic {
        let count = Int(length / spacing)
        let events = [StreamEvent].differingLevels(
            count, ticksApart: Int(spacing / 250), seed: seed)
        let end = StreamEvent(.end, at: Ticks(length / 250))
        let bytes = EventStreamEncoder.encode(events + [end])
        let link = JitterLink(.usb, drift: 60, seed: seed)
        let start = link.now
        guard link.connect() else { throw Failure(what: "no session") }
        link.begin(bytes, start: .after(20_000))
        guard link.run(until: link.now + length + 2_000_000, { $0.playback?.outcome != nil })
        else { throw Failure(what: "not played") }
        return traffic(link.session.statistics, over: link.now - start, without: bytes.count)
    }

    /// Returns the traffic rate of a session whose open stream contains no events, like the stream
    /// of an idle engine.
    private static func idle(seed: UInt64) throws -> Double {
        let link = JitterLink(.usb, drift: 60, seed: seed)
        guard link.connect() else { throw Failure(what: "no session") }
        link.open()
        _ = link.run(until: link.now + 1_000_000) { _ in false }
        let before = link.session.statistics
        let start = link.now
        _ = link.run(until: start + 60_000_000) { _ in false }
        var statistics = link.session.statistics
        statistics.bytesSent -= before.bytesSent
        statistics.bytesReceived -= before.bytesReceived
        return rate(traffic(statistics, over: link.now - start, without: 0))
    }

    private static func traffic(
        _ statistics: LinkStatistics, over time: Microseconds, without code: Int
    ) -> Traffic {
        (max(statistics.bytesSent - code, statistics.bytesReceived), time)
    }

    private static func rate(_ traffic: Traffic) -> Double {
        Double(traffic.bytes) / (Double(traffic.time) / 1_000_000)
    }

    private struct Failure: Error, CustomStringConvertible {
        var what: String
        var description: String { what }
    }
}
