// A USB serial port, through libserialport: listed, opened, held and given back.

import Foundation
import TestSupport
import Testing

@Suite(
    .enabled(if: SimulatedUno.isExpected, "the simulated port is not built"), .serialized,
    .againIfTheComputerIsBusy)
struct PortTests {
    let folder = Folder()

    // MARK: Listing

    @Test func aPortIsListedWithItsUSBIdentityAndIsNotOpened() throws {
        let uno = try SimulatedUno()
        let outcome = try uno.bridge("list", "--json")
        let ports = outcome.objects.first?["ports"] as? [[String: Any]]
        let listed = try #require(ports?.first { $0["path"] as? String == uno.port })
        #expect(listed["usb"] as? String == "2341:0043")
        #expect(listed["description"] as? String == "Arduino Uno")
        #expect(listed["serial_number"] as? String == "5573")
        #expect(listed["access"] as? String == "free" && listed["candidate"] as? Bool == true)
        #expect(uno.resets == ["power"])
    }

    @Test func aBoardIsFoundByItsAnswer() throws {
        let uno = try SimulatedUno()
        let list = try uno.bridge("list", "--probe")
        #expect(list.status == 0 && list.output.contains("no id, firmware 1.0, 1 actuator"))
        let info = try uno.bridge("info", "--json")
        #expect(info.status == 0 && info.objects.first?["port"] as? String == uno.port)
    }

    @Test func aBoardIsChosenByTheSerialNumberOfItsUSBDevice() throws {
        let nano = try SimulatedUno(
            usb: .init(vendor: "0403", product: "6001", text: "FT232R", serialNumber: "A50285BI"))
        let info = try nano.bridge("info", "--serial", "A50285BI", "--json")
        #expect(info.status == 0 && info.objects.first?["port"] as? String == nano.port, "\(info)")
        let absent = try nano.bridge("info", "--serial", "A5028")
        #expect(absent.status == 69 && absent.errors.contains("serial number or id"), "\(absent)")
    }

    // MARK: What may be something else than a board

    @Test func anAdapterIsOpenedOnlyIfItIsAskedForAndThenRemembered() throws {
        let nano = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        let refused = try nano.bridge("info")
        #expect(refused.status == 69, "\(refused)")
        #expect(refused.errors.contains("/dev/ttyUSB0 (CH340 serial adapter"))
        #expect(refused.errors.contains("--port PATH"))
        #expect(refused.errors.contains("--search-adapters"))
        #expect(try nano.bridge("list", "--probe").output.contains("opened only if named"))
        #expect(nano.resets == ["power"])
        #expect(try nano.bridge("info", "--search-adapters").status == 0)
        #expect(try nano.bridge("info").status == 0)
    }

    @Test(arguments: [("y\n", 0 as Int32), ("\n", 69)])
    func inATerminalItAsksWhetherAnAdapterMayBeOpened(answer: String, status: Int32) throws {
        let nano = try SimulatedUno(usb: .nano, port: "ttyUSB0")
        let (outcome, text) = try inTerminal(nano, ["info"], answer: answer)
        #expect(outcome == status, "\(text)")
        #expect(text.contains("/dev/ttyUSB0 (CH340 serial adapter"))
        #expect(text.contains("Open it to ask whether it is a board? [y/N]"))
        #expect((nano.resets == ["power"]) == (status != 0))
    }

    /// Runs `bridge` with a terminal for its input and its errors. Returns its status, and what the
    /// terminal showed.
    private func inTerminal(
        _ uno: SimulatedUno, _ arguments: [String], answer: String
    ) throws -> (Int32, String) {
        var master: Int32 = -1
        var slave: Int32 = -1
        #expect(openpty(&master, &slave, nil, nil, nil) == 0)
        let keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let screen = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = Process()
        tool.executableURL = Tool.executable("bridge")
        tool.arguments = arguments
        tool.environment = ProcessInfo.processInfo.environment
            .merging(["BRIDGE_PORT": "", "XDG_CONFIG_HOME": folder.url.path]) { $1 }
            .merging(uno.environment) { $1 }
        tool.standardInput = screen
        tool.standardError = screen
        tool.standardOutput = FileHandle.nullDevice
        try tool.run()
        try keyboard.write(contentsOf: Data(answer.utf8))
        tool.waitUntilExit()
        return (
            tool.terminationStatus,
            String(decoding: keyboard.availableData, as: UTF8.self)
        )
    }

    // MARK: DTR

    @Test func theFirstOpenResetsTheBoardAndItsBootIsWaitedFor() throws {
        let uno = try SimulatedUno()
        let info = try uno.bridge("info", "--port", uno.port)
        #expect(info.status == 0 && info.output.contains("the boot loader hides the cause"))
        // Bytes at another baud rate make the boot loader start the program.
        #expect(uno.resets.starts(with: ["power", "external"]))
    }

    @Test func laterOpensDoNotResetTheBoard() throws {
        let uno = try SimulatedUno()
        _ = try uno.bridge("info", "--port", uno.port)
        let before = uno.resets
        #expect(try settings(of: uno).c_cflag & tcflag_t(HUPCL) == 0)
        for _ in 0..<3 { #expect(try uno.bridge("info", "--port", uno.port).status == 0) }
        #expect(uno.resets == before)
    }

    @Test func aProgramThatDropsDTRMakesTheNextOpenResetAgain() throws {
        let uno = try SimulatedUno()
        _ = try uno.bridge("info", "--port", uno.port)
        let before = uno.resets.count
        let stty = try uno.run(
            URL(fileURLWithPath: "/bin/stty"), ["-F", uno.port, "hupcl", "115200"])
        #expect(stty.outcome().status == 0)
        #expect(wait { !uno.holdsDTR })
        #expect(try uno.bridge("info", "--port", uno.port).status == 0)
        #expect(uno.resets.count > before && uno.resets[before] == "external")
    }

    // MARK: One at a time

    @Test func aSecondHostMayOnlyAskWhoeverItIs() throws {
        let uno = try SimulatedUno()
        let player = try playing(on: uno)
        let drives = uno.drives.count
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
    }

    /// Checks the program that plays, or the one that serves the board for it.
    @Test func thePortIsNotLeftToProgramsThatAreStarted() throws {
        let uno = try SimulatedUno()
        let player = try playing(on: uno)
        let descriptors = Self.descriptors(of: uno.terminal)
        #expect(!descriptors.isEmpty)
        for descriptor in descriptors {
            let facts = try String(
                contentsOfFile: descriptor.replacing("/fd/", with: "/fdinfo/"), encoding: .utf8)
            let flags = facts.firstMatch(of: /flags:\s+([0-7]+)/).flatMap { Int($0.1, radix: 8) }
            #expect(try #require(flags) & 0o2_000_000 != 0, "O_CLOEXEC, \(facts)")
        }
        player.signal(SIGKILL)
        _ = player.outcome()
    }

    /// Returns the descriptors by which processes of `bridge` have a file.
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

    @Test func aPortThatAMinicomHasIsLeftAlone() throws {
        // The lock is the computer's: boards of other tests have another name.
        let uno = try SimulatedUno(port: "ttyACM9")
        let minicom = try RunningTool(URL(fileURLWithPath: "/bin/sleep"), ["60"])
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
        #expect(uno.resets == ["power"])
    }

    @Test func aPortThatAnotherProgramHasLockedIsBusy() throws {
        let uno = try SimulatedUno()
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        let outcome = try uno.bridge("info", "--port", uno.port)
        #expect(outcome.status == 75 && outcome.errors.contains("in use by"))
        let search = try uno.bridge("info")
        #expect(search.status == 75 && search.errors.contains(uno.port))
    }

    // MARK: Gone

    @Test func aCableThatIsPulledWhileItPlaysIsAnError() throws {
        let uno = try SimulatedUno()
        let player = try playing(on: uno)
        uno.unplug()
        let outcome = player.outcome()
        #expect(outcome.status == 74 && outcome.errors.contains("\(uno.port): unplugged"))
        #expect(try uno.bridge("info", "--port", uno.port).status == 69)
    }

    // MARK: Pieces

    /// Starts a pattern of ten minutes and returns as soon as the actuator is driven.
    private func playing(on uno: SimulatedUno) throws -> RunningTool {
        let set = try uno.bridge(
            "actuator", "set", "--kind", "lra", "--resonance", "170", "--rated", "2.5",
            "--overdrive", "3.5")
        #expect(set.status == 0, "\(set)")
        let path = try folder.write("buzz.ahap", BoardSamples.buzz)
        let player = try uno.run(
            Tool.executable("bridge"), ["play", "--port", uno.port, path])
        #expect(wait { uno.drives.contains { $0 > 0 } })
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
        // TIOCEXCL refuses all but root.
        guard descriptor >= 0 else { return errno == EBUSY }
        defer { close(descriptor) }
        var isOn: Int32 = 0
        let request: UInt = 0x8004_5440  // TIOCGEXCL
        try #require(ioctl(descriptor, request, &isOn) == 0)
        return isOn == 1
    }

    /// Indicates whether a program that asks for the port's lock gets it. Root can ask, because
    /// TIOCEXCL does not keep root out.
    private func isLockable(_ uno: SimulatedUno) -> Bool {
        let descriptor = open(uno.terminal, O_RDWR | O_NOCTTY | O_NONBLOCK)
        defer { close(descriptor) }
        return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
