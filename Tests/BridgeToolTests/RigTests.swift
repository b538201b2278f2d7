// Tests of rigs with several computers: calendar times, the clocks that schedule the starts, and
// the accuracy of the starts.

import Foundation
import HapticBridge
import SerialPorts
import TestSupport
import Testing

@testable import bridge

@Suite struct CalendarTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-24T16:05:06Z", 1_795_536_306),
            ("2026-11-24T16:05Z", 1_795_536_300), ("2026-11-24T16:05:06.25Z", 1_795_536_306.25),
            ("2026-11-24T17:05:06+01:00", 1_795_536_306),
            ("2026-11-24T10:35:06-05:30", 1_795_536_306), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2000-02-29T00:00:00Z", 951_782_400),
        ])
    func aMomentWithAZoneIsTheSameEverywhere(text: String, seconds: Double) {
        #expect(CalendarTime(text)?.seconds == seconds)
    }

    @Test func aMomentWithoutAZoneIsLocal() throws {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour) = (126, 6, 14, 9)
        parts.tm_isdst = -1
        #expect(CalendarTime("2026-07-14T09:00")?.seconds == Double(mktime(&parts)))
    }

    @Test(
        arguments: [
            "2026-11-24", "2026-11-24 16:05Z", "2026-11-24T16Z", "2026-11-24T24:00Z",
            "2026-11-24T16:60Z", "2026-11-24T16:05:60Z", "2026-13-01T00:00Z", "2026-00-01T00:00Z",
            "2026-02-29T00:00Z", "2100-02-29T00:00Z", "2026-04-31T00:00Z", "2026-11-00T00:00Z",
            "26-11-24T16:05Z", "2026-11-24T16:05:06.Z", "2026-11-24T16:05:6Z", "",
            "2026-11-24T16:05:06z", "2026-11-24T16:05:06+1", "2026-11-24T16:05:06+01:00x",
            "2026-11-24T16:05:06ZZ", "-026-11-24T16:05Z", "2026-11-24T1é:05Z",
        ])
    func whatIsNoMomentIsRefused(text: String) { #expect(CalendarTime(text) == nil) }
}

@Suite struct WallClockTests {
    /// Returns a line of `chronyc -c tracking` with the given values in the relevant fields.
    private func line(
        stratum: String = "3", correction: String = "0.000012345", delay: String = "0.012345678",
        dispersion: String = "0.000987654", leap: String = "Normal"
    ) -> String {
        "C0A80101,192.168.1.1,\(stratum),1795536306.123456789,\(correction),-0.000001,0.00002,"
            + "-12.345,0.001,0.05,\(delay),\(dispersion),64.2,\(leap)\n"
    }

    @Test func theBoundIsTheCorrectionTheDispersionAndHalfTheDelay() {
        // 12.345 + 987.654 + 6172.839 = 7172.838 µs, rounded up.
        #expect(WallClock(tracking: line()) == .disciplined(errorBound: 7_173))
        #expect(
            WallClock(tracking: line(correction: "-0.000012345")) == .disciplined(errorBound: 7_173)
        )
        #expect(
            WallClock(tracking: line(correction: "0.0", delay: "0.0", dispersion: "0.0"))
                == .disciplined(errorBound: 0))
        for leap in ["Insert second", "Delete second"] {
            #expect(WallClock(tracking: line(leap: leap)) == .disciplined(errorBound: 7_173))
        }
    }

    @Test func aClockThatHasNotFoundTheTimeIsNotDisciplined() {
        for text in [line(leap: "Not synchronised"), line(stratum: "0")] {
            guard case .undisciplined = WallClock(tracking: text) else {
                Issue.record("\(text) counts as disciplined")
                continue
            }
        }
    }

    @Test(
        arguments: [
            "", "\n", "506 Cannot talk to daemon\n", "C0A80101,192.168.1.1,3\n",
            String(repeating: ",", count: 13),
        ])
    func whatIsNotUnderstoodIsNotDisciplined(text: String) {
        #expect(WallClock(tracking: text).warning?.contains("unexpected output") == true)
    }

    @Test func valuesThatNoClockHasAreNotBelieved() {
        let lines = [
            line(delay: "-0.1"), line(dispersion: "-1"), line(correction: "nan"),
            line(correction: "inf"), line(dispersion: "1e300"), line(delay: "soon"),
        ]
        for text in lines { #expect(WallClock(tracking: text).warning != nil, "\(text)") }
    }
}

@Suite(.virtualTool) struct RigTests {
    let folder = Folder()

    /// Creates a folder for PATH that contains a `chronyc`, which runs a script.
    private func path(chronyc script: String?) throws -> [String: String] {
        let bin = folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        if let script {
            try folder.writeProgram("bin/chronyc", "#!/bin/sh\n\(script)\n")
        }
        return ["PATH": bin.path]
    }

    /// The output of a chrony daemon whose clock is accurate to 250 µs.
    private static let disciplined =
        "echo 7F7F0101,,10,1795536306.5,0.000000000,0.0,0.0,0.0,0.0,0.0,0.0003,0.0001,0.0,Normal"

    private func inSeconds(_ seconds: Double) -> (text: String, time: Double) {
        let time = (hostClock.date.timeIntervalSince1970 + seconds).rounded(.up)
        let date = Date(timeIntervalSince1970: time)
        return (date.formatted(.iso8601), time)
    }

    private func play(
        _ environment: [String: String], at time: String, trace: String? = nil
    ) throws -> RunningTool {
        let pattern = try folder.write("long.ahap", Samples.buzz(seconds: 0.5))
        let traced = trace.map { ["--trace", folder.path($0)] } ?? []
        return try RunningTool(
            Tool.executable("bridge"),
            ["play", "--virtual", "--json", "--at", time] + traced + [pattern],
            environment: environment)
    }

    private func calendar(_ outcome: Outcome) -> [String: Any]? {
        outcome.objects.first?["calendar"] as? [String: Any]
    }

    @Test func theBoundOfTheClockIsPartOfTheStatedBound() throws {
        let tool = try play(path(chronyc: Self.disciplined), at: inSeconds(3).text)
        let outcome = tool.outcome()
        #expect(outcome.status == 0 && !outcome.errors.contains("synchronized"), "\(outcome)")
        let timing = outcome.objects.first?["clock_lateness_us"] as? [String: Int]
        let own = try #require(timing?["error_bound"])
        #expect(calendar(outcome)?["disciplined"] as? Bool == true)
        #expect(calendar(outcome)?["clock_error_bound_us"] as? Int == 250)
        #expect(calendar(outcome)?["error_bound_us"] as? Int == own + 250)
    }

    @Test(
        arguments: [
            (nil, "not installed"), ("echo '506 Cannot talk to daemon'; exit 1", "does not answer"),
            ("echo nonsense", "unexpected output"), ("exec /bin/sleep 60", "does not answer"),
        ])
    func aClockThatIsNotDisciplinedIsReported(script: String?, reason: String) throws {
        let outcome = try play(path(chronyc: script), at: inSeconds(6).text).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.errors.contains("may not be synchronized") && outcome.errors.contains(reason))
        #expect(calendar(outcome)?["disciplined"] as? Bool == false)
    }

    @Test func aStartThatIsNoneOfTheCalendarAsksNoClock() throws {
        let asked = folder.path("asked")
        let outcome = try play(path(chronyc: ": >\(asked)"), at: "+3").outcome()
        #expect(outcome.status == 0 && calendar(outcome) == nil, "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: asked))
    }

    /// Returns the microseconds since 1970 at which a virtual board first drove its actuator.
    private func start(in trace: String) throws -> Double {
        let first = folder.text(trace).split(separator: "\n").first { line in
            let bytes = line.split(separator: " ").last ?? ""
            return bytes.hasPrefix("b402") && bytes.count == 6 && bytes != "b40200"
        }
        let host = try #require(first?.split(separator: " ").first.flatMap { Double($0) })
        return host - Double(hostClock.now().microseconds) + Double(hostClock.calendarTime())
    }

    /// Each program represents one computer: the programs share only the clock.
    @Test func programsThatShareNothingButTheClockStartTogether() throws {
        let environment = try path(chronyc: Self.disciplined)
        let time = inSeconds(4)
        let tools = try ["a", "b"].map { try play(environment, at: time.text, trace: $0) }
        let outcomes = tools.map { $0.outcome() }
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
        let bounds = try outcomes.map { outcome in
            let timing = outcome.objects.first?["clock_lateness_us"] as? [String: Int]
            let most = try #require(timing?["most"])
            return Double(most + (try #require(calendar(outcome)?["error_bound_us"] as? Int)))
        }
        let starts = try ["a", "b"].map(start)
        #expect(abs(starts[0] - starts[1]) <= bounds[0] + bounds[1], "\(starts), \(bounds)")
        // With --align felt, the drive begins before the event, but earlier by less than the rise
        // time.
        for start in starts { #expect(abs(start - time.time * 1e6) < 100_000, "\(start)") }
    }
}
