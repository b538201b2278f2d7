// Tests that the tool lists USB serial ports with libserialport, and that it opens no port without
// permission.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: IdlePort.isHere, "the library for the simulated port is not built"))
struct PortTests {
    @Test func aPortIsListedWithItsUSBIdentityAndIsNotOpened() throws {
        let uno = try IdlePort()
        let outcome = try uno.bridge("list", "--json")
        let ports = outcome.objects.first?["ports"] as? [[String: Any]]
        let listed = try #require(ports?.first { $0["path"] as? String == uno.port })
        #expect(listed["usb"] as? String == "2341:0043")
        #expect(listed["description"] as? String == "Arduino Uno")
        #expect(listed["serial_number"] as? String == "5573")
        #expect(listed["access"] as? String == "free" && listed["candidate"] as? Bool == true)
        #expect(!uno.hasBeenOpened())
    }

    // MARK: Ports that may not be boards

    @Test func anAdapterIsOpenedOnlyIfItIsAskedFor() throws {
        let nano = try IdlePort(.nano, port: "ttyUSB0")
        let refused = try nano.bridge("info")
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.contains("/dev/ttyUSB0 (CH340 serial adapter"))
        #expect(refused.errors.contains("--port PATH"))
        #expect(refused.errors.contains("--search-adapters"))
        #expect(try nano.bridge("list", "--probe").output.contains("may be a board; to query it"))
        #expect(!nano.hasBeenOpened())
    }

    @Test func inATerminalItAsksWhetherAnAdapterMayBeOpened() throws {
        let nano = try IdlePort(.nano, port: "ttyUSB0")
        let (status, text) = try nano.bridgeInTerminal(["info"], answer: "\n")
        #expect(status == 69, "\(text)")
        #expect(text.contains("/dev/ttyUSB0 (CH340 serial adapter"))
        #expect(text.contains("Open these devices to check whether one of them is a board? [y/N]"))
        #expect(!nano.hasBeenOpened())
    }

    // MARK: Ports used by other programs

    @Test func aPortThatAnotherProgramHasLockedIsBusy() throws {
        let uno = try IdlePort()
        try uno.whileLocked {
            let named = try uno.bridge("info", "--port", uno.port)
            #expect(named.status == 75 && named.errors.contains("in use by"))
            let search = try uno.bridge("info")
            #expect(search.status == 75 && search.errors.contains(uno.port))
            let flash = try uno.bridge("flash", "--board", "uno")
            #expect(flash.status == 75 && flash.errors.contains("in use by"), "\(flash)")
            #expect(flash.errors.contains("end the program that uses the port"))
            let doctor = try uno.bridge("doctor")
            #expect(doctor.status == 75 && doctor.output.contains("end that program"))
        }
    }

    @Test func aPortThatAMinicomHasIsLeftAlone() throws {
        // The lock applies to the whole computer, so ports of other tests must have other names.
        let uno = try IdlePort(port: "ttyACM9")
        let minicom = try RunningTool(URL(fileURLWithPath: "/bin/sleep"), ["600"])
        defer { minicom.signal(SIGKILL) }
        let lock = "/var/lock/LCK..\(uno.port.split(separator: "/").last!)"
        try Data("\(minicom.process.processIdentifier)\n".utf8)
            .write(to: URL(fileURLWithPath: lock))
        defer { try? FileManager.default.removeItem(atPath: lock) }
        for arguments in [["info"], ["info", "--port", uno.port]] {
            let outcome = try uno.run(Tool.executable("bridge"), arguments).outcome()
            #expect(outcome.status == 75, "\(outcome)")
            #expect(outcome.errors.contains("in use by sleep (process"), "\(outcome)")
        }
        #expect(!uno.hasBeenOpened())
    }

    @Test func aPortWithoutPermissionIsReportedWithTheRemedy() throws {
        let uno = try IdlePort()
        guard let denied = try uno.bridgeWithoutPermission("info", "--port", uno.port) else {
            return
        }
        #expect(denied.status == 77 && denied.errors.contains("dialout"), "\(denied)")
        if let flash = try uno.bridgeWithoutPermission("flash", "--board", "uno") {
            #expect(flash.status == 77 && flash.errors.contains("dialout"), "\(flash)")
        }
        let doctor = try uno.bridgeWithoutPermission("doctor")
        #expect(doctor?.status == 77)
        #expect(doctor?.output.contains("60-haptic-bridge.rules") == true)
        #expect(doctor?.output.contains("usermod -aG dialout") == true)
    }
}
