// bridge doctor: what of the computer disturbs, with what cures it.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized)
struct DoctorTests {
    let folder = Folder()

    /// A process of this name, for as long as its owner lives.
    private func process(named name: String) throws -> RunningTool {
        let program = folder.url.appending(path: name)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/sleep"), to: program)
        return try RunningTool(program, ["60"])
    }

    private func findings(_ uno: SimulatedUno) throws -> [[String: Any]] {
        let outcome = try uno.bridge("doctor", "--json")
        return try #require(outcome.objects.first?["findings"] as? [[String: Any]], "\(outcome)")
    }

    private func cure(of words: String, in findings: [[String: Any]]) -> String? {
        let finding = findings.first { ($0["text"] as? String)?.contains(words) == true }
        return (finding?["cure"] as? [String])?.first
    }

    @Test func programsThatTakePortsAreNamed() throws {
        let uno = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        let before = try findings(uno)
        #expect(cure(of: "brltty runs", in: before) == nil)
        let programs = [try process(named: "ModemManager"), try process(named: "brltty")]
        defer { for program in programs { program.signal(SIGKILL) } }
        let after = try findings(uno)
        #expect(cure(of: "ModemManager runs", in: after)?.contains("/etc/udev/rules.d") == true)
        #expect(cure(of: "brltty runs", in: after)?.contains("apt remove brltty") == true)
    }

    @Test func anAdapterThatHoldsAnswersBackIsNamed() throws {
        let uno = try SimulatedUno(usb: .nano, port: "ttyUSB0", latency: 16)
        let cure = try #require(try cure(of: "back for 16 ms", in: findings(uno)))
        #expect(cure.contains("echo 1 | sudo tee /sys/class/tty/ttyUSB0/device/latency_timer"))
        let quick = try SimulatedUno(usb: .nano, port: "ttyUSB0", latency: 1)
        #expect(try self.cure(of: "holds answers back", in: findings(quick)) == nil)
    }

    @Test func withoutAPortItSaysSo() throws {
        let uno = try SimulatedUno()
        uno.unplug()
        let outcome = try uno.bridge("doctor")
        #expect(outcome.status == 69 && outcome.output.contains("no serial port"), "\(outcome)")
    }
}
