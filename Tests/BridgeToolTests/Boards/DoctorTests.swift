// Tests of `bridge doctor`: the problems that it detects on the computer, and the remedies that it
// suggests.

import Foundation
import TestSupport
import Testing

@testable import bridge

/// The tests run one at a time, because each test would detect the processes that another test
/// starts.
@Suite(
    .serialized, .enabled(if: IdlePort.isHere, "the library for the simulated port is not built"))
struct DoctorTests {
    let folder = Folder()

    /// Runs processes with the given names while a closure runs.
    private func running<Value>(_ names: String..., during work: () throws -> Value) throws
        -> Value
    {
        let tools = try names.map { name in
            let program = folder.url.appending(path: name)
            try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/sleep"), to: program)
            return try RunningTool(program, ["600"])
        }
        defer {
            for tool in tools {
                tool.signal(SIGKILL)
                _ = tool.outcome()
            }
        }
        return try work()
    }

    /// Returns the doctor's findings for a port that is in use. The doctor sends nothing to a port
    /// in use.
    private func findings(_ port: IdlePort) throws -> [[String: Any]] {
        var outcome: Outcome?
        try port.whileLocked { outcome = try port.bridge("doctor", "--json", "--port", port.port) }
        let findings = outcome?.objects.first?["findings"] as? [[String: Any]]
        return try #require(findings, "\(outcome.map { "\($0)" } ?? "")")
    }

    private func cure(of words: String, in findings: [[String: Any]]) -> String? {
        let finding = findings.first { ($0["text"] as? String)?.contains(words) == true }
        return (finding?["cure"] as? [String])?.first
    }

    @Test func programsThatTakePortsAreNamed() throws {
        let nano = try IdlePort(.nano, port: "ttyUSB0")
        let before = try findings(nano)
        #expect(cure(of: "brltty is running", in: before) == nil)
        let after = try running("ModemManager", "brltty") { try findings(nano) }
        let rule = try #require(cure(of: "ModemManager is running", in: after))
        #expect(rule.contains(#"ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523""#))
        #expect(rule.contains("/etc/udev/rules.d"))
        #expect(cure(of: "brltty is running", in: after)?.contains("apt remove brltty") == true)
    }

    /// brltty detaches the driver of an adapter, so the port is gone while the program runs.
    @Test(arguments: [("1a86", "7523"), ("10c4", "ea60"), ("0403", "6001")])
    func aTakenPortIsNamedWithTheCure(vendor: String, product: String) throws {
        let adapter = try IdlePort(
            .init(vendor: vendor, product: product, text: "USB Serial", serialNumber: ""),
            port: "ttyUSB0")
        let present = try adapter.bridge("doctor").output
        #expect(!present.contains("has no serial port") && !present.contains("brltty"))
        adapter.removePort()
        let lost = "the USB device \(vendor):\(product) is plugged in, but has no serial port"
        let alone = try adapter.bridge("doctor")
        #expect(alone.status == 69, "\(alone)")
        #expect(
            alone.output.contains(
                "remark   \(lost)\n         → unplug the device and plug it in "
                    + "again; if that does not help"
            ),
            "\(alone)")
        let taken = try running("ModemManager", "brltty") { try adapter.bridge("doctor").output }
        #expect(
            taken.contains(
                """
                remark   \(lost)
                         → remove brltty (see below), then unplug the device and plug it in again
                remark   brltty is running: it takes over CH340, CP210x and FTDI adapters
                         → sudo apt remove brltty; if you use a Braille display, remove instead \
                the id of the adapter from the udev rules of brltty

                """), "\(taken)")
        #expect(
            taken.contains(
                "remark   ModemManager is running: it writes to new ports for several seconds\n"
                    + #"         → echo 'SUBSYSTEM=="tty", ATTRS{idVendor}=="\#(vendor)", "#
                    + #"ATTRS{idProduct}=="\#(product)""#), "\(taken)")
    }

    @Test func brlttyIsNamedWhereNoBoardWasFound() throws {
        let uno = try IdlePort()
        let (before, outcome) = try running("brltty") {
            let before = try findings(uno)
            uno.remove()
            return (before, try uno.bridge("doctor"))
        }
        #expect(cure(of: "brltty is running", in: before) == nil)
        #expect(outcome.status == 69 && outcome.output.contains("no serial port"), "\(outcome)")
        #expect(outcome.output.contains("brltty is running"), "\(outcome)")
    }

    @Test func anAdapterThatNobodyNamedIsReportedAndNotOpened() throws {
        let nano = try IdlePort(.nano, port: "ttyUSB0")
        let outcome = try nano.bridge("doctor")
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.output.contains("not opened, because it may be another device"))
        #expect(outcome.output.contains("bridge doctor --port /dev/ttyUSB0"))
        #expect(!nano.hasBeenOpened())
    }

    @Test func anAdapterThatHoldsAnswersBackIsNamed() throws {
        let slow = try IdlePort(.nano, port: "ttyUSB0", latency: 16)
        let cure = try #require(try cure(of: "delays answers by 16 ms", in: findings(slow)))
        #expect(cure.contains("echo 1 | sudo tee /sys/class/tty/ttyUSB0/device/latency_timer"))
        let quick = try IdlePort(.nano, port: "ttyUSB0", latency: 1)
        #expect(try self.cure(of: "delays answers", in: findings(quick)) == nil)
    }

    @Test func aSupplyIsComparedWithWhatTheDriverAndTheConfigurationNeed() throws {
        func finding(_ millivolts: UInt16) -> Finding? {
            BoardCheck.supply(millivolts, overdrive: 3_500, of: 2, at: "/dev/ttyACM7")
        }
        #expect(finding(0) == nil, "0 mV means that the supply was never measured")
        let low = try #require(finding(2_999))
        #expect(low.weight == .problem && low.status.rawValue == 83)
        #expect(low.text == "/dev/ttyACM7: actuator 2: its driver's supply is 3.00 V")
        #expect(low.cure[0].contains("at least 3 V"))
        #expect(low.cure[0].contains("bridge play success --port /dev/ttyACM7"))
        for millivolts in [3_000, 3_499] as [UInt16] {
            let remark = try #require(finding(millivolts))
            #expect(remark.weight == .remark && remark.cure[0].contains("with 5 V"))
        }
        #expect(finding(3_190)?.text.contains("supply, 3.19 V, is below the overdrive") == true)
        let fine = try #require(finding(3_500))
        #expect(fine.weight == .fine && fine.text.hasSuffix("its driver's supply is 3.50 V"))
    }

    /// A root shell with the environment variable of a user may have created the folder, or another
    /// program may have created a file with this name.
    @Test func aFolderByWhichProgramsCannotMeetIsNamedWithTheRemedy() throws {
        let port = try IdlePort(.nano, port: "ttyUSB0")
        let runtime = folder.path("runtime")
        try FileManager.default.createDirectory(
            atPath: runtime + "/haptic-bridge", withIntermediateDirectories: true)
        func doctor() throws -> Outcome {
            try port.bridge("doctor", environment: ["XDG_RUNTIME_DIR": runtime])
        }
        chmod(runtime + "/haptic-bridge", 0o700)
        #expect(try !doctor().output.contains("haptic-bridge: "))
        chmod(runtime + "/haptic-bridge", 0o755)
        let open = try doctor().output
        #expect(
            open.contains("problem  \(runtime)/haptic-bridge: belongs to another user, or"),
            "\(open)")
        #expect(
            open.contains("sudo rm -r \(runtime)/haptic-bridge (it is created again)"), "\(open)")
        try FileManager.default.removeItem(atPath: runtime + "/haptic-bridge")
        try Data().write(to: URL(fileURLWithPath: runtime + "/haptic-bridge"))
        #expect(try doctor().output.contains("haptic-bridge: not a folder"))
    }

    @Test func withoutAPortItSaysSo() throws {
        let uno = try IdlePort()
        uno.remove()
        let outcome = try uno.bridge("doctor")
        #expect(outcome.status == 69 && outcome.output.contains("no serial port"), "\(outcome)")
    }
}
