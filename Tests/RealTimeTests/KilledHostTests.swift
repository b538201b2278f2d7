// Tests of the whole chain, from `bridge` to a simulated image behind a port, when the host process
// is killed.

import Foundation
import TestSupport
import Testing

@Suite(.serialized, .witnessed(tolerance: .milliseconds(40))) struct KilledHostTests {
    @Test(arguments: BoardSimulator.here)
    func theDeadManStopsWhatAKilledHostLeftPlaying(_ simulator: BoardSimulator) throws {
        let program = try BoardProgram(simulator)
        func trace() -> CycleTrace { CycleTrace(program.traceText, of: simulator) }
        let folder = Folder()
        let pattern = folder.path("long.ahap")
        try """
        {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticContinuous",
        "EventDuration": 600, "EventParameters": []}}]}
        """.write(toFile: pattern, atomically: true, encoding: .utf8)
        let configured = try Self.configure(program.port)
        #expect(configured.status == 0, "\(configured.errors)")
        let tool = try RunningTool(
            Tool.executable("bridge"), ["play", "--port", program.port, pattern])
        #expect(wait { trace().drives.last?.value ?? 0 > 0 })
        // Waits until the board has answered several queries. The pattern is then still playing.
        let soFar = trace().sent.count
        #expect(wait { trace().sent.count > soFar + 100 })
        tool.signal(SIGKILL)
        #expect(tool.outcome().wasKilled)
        #expect(wait { trace().drives.last?.value == 0 })
        let trace = trace()
        let rest = try #require(trace.drives.last).cycle
        // The board answers every message within 5 ms, so it has received no message after its last
        // answer.
        let answered = trace.sent.last { $0.cycle < rest }?.cycle
        let silence = simulator.microseconds(rest - (try #require(answered))) / 1_000
        #expect(
            (200...260).contains(silence),
            "\(silence) ms of device time until the actuator is at rest")
    }

    private static func configure(_ port: String) throws -> Outcome {
        try Tool.bridge(
            "actuator", "set", "--port", port, "--kind", "lra", "--resonance", "170",
            "--rated", "2.5", "--overdrive", "3.5")
    }
}
