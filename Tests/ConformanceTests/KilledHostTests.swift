// The whole chain, and its head cut off: `bridge` on the simulated ATmega328P behind its port.

import Foundation
import TestSupport
import Testing

@Suite struct KilledHostTests {
    /// Lines of the simulator's trace that begin with `keyword`: the fields after it.
    private func lines(_ keyword: String, in trace: String) -> [[Substring]] {
        trace.split(separator: "\n").map { $0.split(separator: " ") }
            .filter { $0.first == keyword[...] }.map { Array($0.dropFirst()) }
    }

    /// What the chip drives, by the cycles at which it changed.
    private func drives(in trace: String) -> [(cycle: Int, value: Int)] {
        lines("drive", in: trace).compactMap { fields in
            guard let cycle = Int(fields[0]), let value = Int(fields[1]) else { return nil }
            return (cycle, value)
        }
    }

    @Test(.enabled(if: ConformanceBoard.available.contains(.simulatedPort)))
    func theDeadManStopsWhatAKilledHostLeftPlaying() async throws {
        try await ConformanceBoard.simulatedPort.queue.run {
            let program = try BoardProgram(LockStepBoard.simulator, [LockStepBoard.image.path])
            let folder = Folder()
            let pattern = folder.path("long.ahap")
            try """
            {"Pattern": [{"Event": {"Time": 0, "EventType": "HapticContinuous",
            "EventDuration": 20, "EventParameters": []}}]}
            """.write(toFile: pattern, atomically: true, encoding: .utf8)
            let configured = try Tool.bridge(
                "actuator", "set", "--port", program.port, "--kind", "lra", "--resonance", "170",
                "--rated", "2.5", "--overdrive", "3.5")
            #expect(configured.status == 0, "\(configured.errors)")
            let tool = try RunningTool(
                Tool.executable("bridge"), ["play", "--port", program.port, pattern])
            #expect(wait(seconds: 10) { drives(in: program.traceText).last?.value ?? 0 > 0 })
            usleep(300_000)
            tool.signal(SIGKILL)
            #expect(tool.outcome().wasKilled)
            #expect(wait(seconds: 5) { drives(in: program.traceText).last?.value == 0 })
            let trace = program.traceText
            let rest = try #require(drives(in: trace).last).cycle
            // The board answers what it hears within 5 ms: it heard nothing later than this.
            let answered = lines("tx", in: trace).compactMap { Int($0[0]) }.last { $0 < rest }
            let silence = Double(rest - (try #require(answered))) / 16_000
            #expect((200...260).contains(silence), "\(silence) ms of device time")
        }
    }
}
