// bridge doctor: problems of the computer that it finds, and the remedies that it gives.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct DoctorTests {
    let folder = Folder()

    /// Starts a process with this name, which lives as long as the returned object.
    private func process(named name: String) throws -> RunningTool {
        let program = folder.url.appending(path: name)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/sleep"), to: program)
        return try RunningTool(program, ["60"])
    }

    private func findings(_ uno: SimulatedUno) throws -> [[String: Any]] {
        let outcome = try uno.bridge("doctor", "--json", "--port", uno.port)
        return try #require(outcome.objects.first?["findings"] as? [[String: Any]], "\(outcome)")
    }

    private func cure(of words: String, in findings: [[String: Any]]) -> String? {
        let finding = findings.first { ($0["text"] as? String)?.contains(words) == true }
        return (finding?["cure"] as? [String])?.first
    }

    @Test func programsThatTakePortsAreNamed() throws {
        let uno = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        let before = try findings(uno)
        #expect(cure(of: "brltty is running", in: before) == nil)
        let programs = [try process(named: "ModemManager"), try process(named: "brltty")]
        defer { for program in programs { program.signal(SIGKILL) } }
        let after = try findings(uno)
        let rule = try #require(cure(of: "ModemManager is running", in: after))
        #expect(rule.contains(#"ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523""#))
        #expect(rule.contains("/etc/udev/rules.d"))
        #expect(cure(of: "brltty is running", in: after)?.contains("apt remove brltty") == true)
    }

    @Test func anAdapterThatNobodyNamedIsToldOfAndNotOpened() throws {
        let nano = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        let outcome = try nano.bridge("doctor")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.contains("not opened, because it may be another device"))
        #expect(outcome.output.contains("bridge doctor --port /dev/ttyUSB0"))
        #expect(nano.resets == ["power"])
    }

    @Test func anAdapterThatHoldsAnswersBackIsNamed() throws {
        let uno = try SimulatedUno(usb: .nano, port: "ttyUSB0", latency: 16)
        let cure = try #require(try cure(of: "delays answers by 16 ms", in: findings(uno)))
        #expect(cure.contains("echo 1 | sudo tee /sys/class/tty/ttyUSB0/device/latency_timer"))
        let quick = try SimulatedUno(usb: .nano, port: "ttyUSB0", latency: 1)
        #expect(try self.cure(of: "holds answers back", in: findings(quick)) == nil)
    }

    /// Returns what the doctor finds after the board has played with its driver at this supply
    /// voltage.
    private func findings(supply millivolts: Int) throws -> (Outcome, [[String: Any]]) {
        let uno = try SimulatedUno()
        #expect(try uno.bridge("actuator", "set", "VG1040003D").status == 0)
        #expect(try uno.bridge("calibrate").status == 0)
        try uno.happen("chip supply \(millivolts)")
        let play = try uno.bridge("play", folder.write("second.ahap", BoardSamples.second))
        #expect(play.status == 0, "\(play)")
        let outcome = try uno.bridge("doctor", "--json")
        let findings = outcome.objects.first?["findings"] as? [[String: Any]]
        return (outcome, try #require(findings, "\(outcome)"))
    }

    @Test func aSupplyThatIsTooLowIsAProblem() throws {
        let (outcome, findings) = try findings(supply: 2_800)
        #expect(outcome.status == 83, "\(outcome)")
        let advice = try #require(cure(of: "its driver's supply is 2.79 V", in: findings))
        #expect(advice.contains("at least 3 V"))
        #expect(advice.contains("bridge play success --port /dev/ttyACM7"))
    }

    @Test func aSupplyBelowTheOverdriveIsARemark() throws {
        let (outcome, findings) = try findings(supply: 3_200)
        #expect(outcome.status == 0, "\(outcome)")
        let words = "its driver's supply, 3.19 V, is below the overdrive"
        #expect(cure(of: words, in: findings)?.contains("with 5 V") == true)
        let (fine, others) = try self.findings(supply: 5_000)
        #expect(fine.status == 0 && cure(of: "supply", in: others) == nil, "\(fine)")
        #expect(fine.output.contains("its driver's supply is 4.99 V"))
    }

    @Test func anOlderFirmwareIsNamedAndFlashingCuresIt() throws {
        let uno = try SimulatedUno(image: SimulatedUno.earlierImage)
        let words = "its firmware 0.9 is older than this program's"
        #expect(
            cure(of: words, in: try findings(uno))?
                .hasPrefix("bridge flash --board uno --port \(uno.port)") == true)
        #expect(try uno.bridge("flash", "--board", "uno", "--port", uno.port).status == 0)
        let after = try uno.bridge("doctor", "--json")
        #expect(!after.output.contains("is older than"), "\(after)")
        #expect(after.output.contains("firmware 1.0, protocol 1"))
    }

    @Test func withoutAPortItSaysSo() throws {
        let uno = try SimulatedUno()
        uno.unplug()
        let outcome = try uno.bridge("doctor")
        #expect(outcome.status == 69 && outcome.output.contains("no serial port"), "\(outcome)")
    }
}
