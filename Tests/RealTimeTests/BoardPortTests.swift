// Tests that the tool finds, opens, locks and releases the USB serial port of a board with
// libserialport.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .witnessed(tolerance: .milliseconds(80)))
struct BoardPortTests {
    let folder = Folder()

    // MARK: Finding

    @Test func aBoardIsFoundByItsAnswer() throws {
        let uno = try SimulatedUno()
        let list = try uno.bridge("list", "--probe")
        #expect(list.status == 0 && list.output.contains("no id, firmware 1.0, 1 actuator"))
        let info = try uno.bridge("info", "--json")
        #expect(info.status == 0 && info.objects.first?["port"] as? String == uno.port)
        let pico = try uno.bridge("flash", "--board", "pico", "--port", uno.port)
        #expect(pico.status == 79, "\(pico)")
        #expect(pico.errors.contains("Arduino Uno or Nano, not a Raspberry Pi Pico"))
        #expect(pico.errors.contains("bridge flash --board uno --port \(uno.port)"))
    }

    // MARK: Ports that may not be boards

    @Test func anAdapterThatWasOpenedOnceIsRemembered() throws {
        let nano = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        #expect(try nano.bridge("info").status == 69)
        #expect(nano.resets == ["power"])
        let (status, text) = try nano.bridgeInTerminal(["info"], answer: "y\n")
        #expect(
            status == 0
                && text.contains(
                    "Open these devices to check whether one of them is a board? [y/N]")
        )
        #expect(try nano.bridge("info").status == 0)
    }

    @Test func anAdapterIsSearchedOnRequestAndChosenByTheSerialNumberOfItsUSBDevice() throws {
        let nano = try SimulatedUno(
            usb: .init(vendor: "0403", product: "6001", text: "FT232R", serialNumber: "A50285BI"))
        let chosen = try nano.bridge("info", "--serial", "A50285BI", "--json")
        #expect(chosen.status == 0, "\(chosen)")
        #expect(chosen.objects.first?["port"] as? String == nano.port)
        let absent = try nano.bridge("info", "--serial", "A5028")
        #expect(absent.status == 69 && absent.errors.contains("serial number or id"), "\(absent)")
        // The tool has stored which board answered.
        try FileManager.default.removeItem(atPath: nano.folder.path("state"))
        #expect(try nano.bridge("info").status == 69)
        #expect(try nano.bridge("info", "--search-adapters").status == 0)
        #expect(try nano.bridge("info").status == 0)
    }

    // MARK: DTR

    @Test func theFirstOpenResetsTheBoardAndLaterOnesDoNotUnlessDTRWasDropped() throws {
        let uno = try SimulatedUno()
        let info = try uno.bridge("info", "--port", uno.port)
        #expect(info.status == 0 && info.output.contains("the boot loader hides the cause"))
        // Bytes at a different baud rate cause the boot loader to start the firmware.
        #expect(uno.resets.starts(with: ["power", "external"]))

        let before = uno.resets
        #expect(try settings(of: uno).c_cflag & tcflag_t(HUPCL) == 0)
        for _ in 0..<3 { #expect(try uno.bridge("info", "--port", uno.port).status == 0) }
        #expect(uno.resets == before)

        let stty = try uno.run(
            URL(fileURLWithPath: "/bin/stty"), ["-F", uno.port, "hupcl", "115200"])
        #expect(stty.outcome().status == 0)
        #expect(wait { !uno.holdsDTR })
        #expect(try uno.bridge("info", "--port", uno.port).status == 0)
        #expect(uno.resets.count > before.count && uno.resets[before.count] == "external")
    }

    // MARK: Exclusive use

    @Test func aPortInUseIsKeptFromOthersGivenBackAndItsLossIsAnError() throws {
        let uno = try SimulatedUno()
        let player = try playing(on: uno)
        let drives = uno.drives.count
        try expectNotInherited(uno)
        #expect(try uno.bridge("info", "--port", uno.port).status == 0)
        let second = try uno.bridge("calibrate", "--port", uno.port)
        #expect(second.status == 75, "\(second)")
        #expect(second.errors.contains("bridge (process \(player.process.processIdentifier))"))
        let list = try uno.bridge("list")
        #expect(list.output.contains("in use by bridge"))
        #expect(try isExclusive(uno))
        #expect(!isLockable(uno))
        #expect(uno.resets.count <= 3 && uno.drives.count >= drives && uno.drives.last != 0)
        player.signal(SIGKILL)
        _ = player.outcome()
        #expect(isLockable(uno))
        #expect(try uno.bridge("stop", "--port", uno.port).status == 0)

        let again = try playing(on: uno)
        uno.unplug()
        let outcome = again.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains("\(uno.port): unplugged"))
        #expect(try uno.bridge("info", "--port", uno.port).status == 69)
    }

    /// Checks that the child processes of the player and of its server do not inherit the port.
    private func expectNotInherited(_ uno: SimulatedUno) throws {
        let descriptors = Self.descriptors(of: uno.terminal)
        #expect(!descriptors.isEmpty)
        for descriptor in descriptors {
            let facts = try String(
                contentsOfFile: descriptor.replacing("/fd/", with: "/fdinfo/"), encoding: .utf8)
            let flags = facts.firstMatch(of: /flags:\s+([0-7]+)/).flatMap { Int($0.1, radix: 8) }
            #expect(try #require(flags) & 0o2_000_000 != 0, "O_CLOEXEC, \(facts)")
        }
    }

    /// Returns the descriptors of the processes of `bridge` that have opened a file.
    private static func descriptors(of path: String) -> [String] {
        let files = FileManager.default
        let processes = (try? files.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.flatMap { process in
            let folder = "/proc/\(process)"
            let program = try? files.destinationOfSymbolicLink(atPath: "\(folder)/exe")
            guard program?.hasSuffix("/bridge") == true else { return [String]() }
            let names = (try? files.contentsOfDirectory(atPath: "\(folder)/fd")) ?? []
            return names.map { "\(folder)/fd/\($0)" }.filter {
                (try? files.destinationOfSymbolicLink(atPath: $0)) == path
            }
        }
    }

    // MARK: Helpers

    /// Starts a pattern of ten minutes. Returns as soon as the actuator is driven.
    private func playing(on uno: SimulatedUno) throws -> RunningTool {
        let before = uno.drives.count
        let set = try uno.bridge(
            "actuator", "set", "--kind", "lra", "--resonance", "170", "--rated", "2.5",
            "--overdrive", "3.5")
        #expect(set.status == 0, "\(set)")
        let path = try folder.write("buzz.ahap", BoardSamples.buzz)
        let player = try uno.run(
            Tool.executable("bridge"), ["play", "--port", uno.port, path])
        #expect(wait { uno.drives.dropFirst(before).contains { $0 > 0 } })
        return player
    }

    private func settings(of uno: SimulatedUno) throws -> termios {
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(descriptor) }
        var settings = termios()
        try #require(tcgetattr(descriptor, &settings) == 0)
        return settings
    }

    private func isExclusive(_ uno: SimulatedUno) throws -> Bool {
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY | O_NONBLOCK)
        // TIOCEXCL prevents all users except root from opening the port.
        guard descriptor >= 0 else { return errno == EBUSY }
        defer { close(descriptor) }
        var isOn: Int32 = 0
        let request: UInt = 0x8004_5440  // TIOCGEXCL
        try #require(ioctl(descriptor, request, &isOn) == 0)
        return isOn == 1
    }

    /// Returns true if a program can lock the port. Unlike a test of TIOCEXCL, this test also works
    /// as root.
    private func isLockable(_ uno: SimulatedUno) -> Bool {
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(descriptor) }
        return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
