// Tests that the list of ports, with their descriptions and users, is determined without opening a
// port.

import Foundation
import TestSupport
import Testing

@testable import SerialPorts

@Suite struct PortListTests {
    @Test func listsThePortsOfThisComputer() throws {
        let paths = try PortList.all().map(\.path)
        #expect(paths == paths.sorted())
    }

    @Test func knowsBoardsFromAdapters() {
        #expect(
            KnownDevice(vendor: 0x2341, product: 0x0043)
                == KnownDevice(name: "Arduino Uno", role: .board))
        #expect(KnownDevice(vendor: 0x1A86, product: 0x7523)?.role == .adapter)
        #expect(KnownDevice(vendor: 0x2341, product: 0x0036)?.role == .bootloader)
        #expect(KnownDevice(vendor: 0xFFFF, product: 0xFFFF) == nil)
        let sketches: [(UInt16, UInt16)] = [
            (0x303A, 0x1001), (0x2341, 0x0069), (0x2341, 0x1002), (0x239A, 0x8029),
            (0x2886, 0x8044), (0x16C0, 0x0483),
        ]
        for (vendor, product) in sketches {
            let known = KnownDevice(vendor: vendor, product: product)
            #expect(known?.role == .board && known?.runsSketches == true)
        }
        #expect(PortDescription.USB(vendor: 0x2341, product: 0x43).id == "2341:0043")
    }
}

#if os(Linux)
    @Suite struct PortTreeTests {
        private let tree: PortTree

        init() throws { tree = try PortTree() }

        private func listed() throws -> [PortDescription] { try PortList.all(in: tree.system) }

        private func access(to name: String) -> PortDescription.Access {
            PortList.access(to: tree.path(name), in: tree.system)
        }

        // MARK: Ports in the list

        @Test func aUSBPortIsDescribedByItsDevice() throws {
            try tree.plugIn("ttyACM0", .uno, leadingTo: "/dev/full")
            let port = try #require(try listed().first)
            #expect(port.path == tree.path("ttyACM0") && port.isBoard)
            #expect(port.usb?.id == "2341:0043" && port.usb?.manufacturer == "Maker")
            #expect(port.usb?.serialNumber == "75830303934351B0C1A1")
            #expect(port.description == "Thing" && port.location == "pci0000:00/usb1/1-1/1-1:1.0")
        }

        @Test func builtInPortsAreListedWhereThereIsOne() throws {
            try tree.show("tty1", type: nil)
            try tree.show("ttyS0", type: "4")
            try tree.show("ttyS1", type: "0")
            let ports = try listed()
            #expect(ports.map(\.path) == [tree.path("ttyS0")])
            #expect(!ports[0].isCandidate && ports[0].identity == "port at platform/ttyS0")
        }

        @Test func listingOpensNothing() throws {
            for name in ["ttyS0", "ttyS1"] { try tree.show(name, type: "4") }
            let real = try FileManager.default.contentsOfDirectory(atPath: "/dev")
                .filter { $0.hasPrefix("ttyS") }.map { "/dev/\($0)" }
            let watch = OpenWatch([tree.folder.path("dev")] + real)
            #expect(try listed().count == 2)
            _ = try PortList.all()
            #expect(!watch.hasSeenOpen())
            _ = tree.folder.text("dev/ttyS0")
            #expect(watch.hasSeenOpen(), "the watch detects an opened file")
        }

        // MARK: Identities of ports

        @Test(arguments: [
            ("A50285BI", "usb 0403:6001 interface 00 serial A50285BI"),
            (
                "0001",
                "usb 0403:6001 interface 00 serial 0001 at pci0000:00/usb1/1-1/1-1:1.0"
            ),
            ("", "usb 0403:6001 interface 00 at pci0000:00/usb1/1-1/1-1:1.0"),
        ])
        func aPortIsKnownByItsSerialNumberElseByItsSocket(
            serialNumber: String, identity: String
        ) throws {
            let usb = PortTree.USB("0403", "6001", serialNumber: serialNumber)
            try tree.plugIn("ttyUSB3", usb, leadingTo: "/dev/full")
            #expect(try listed().map(\.identity) == [identity])
        }

        // MARK: Users of a port

        @Test func aLockCountsOnItsOwnDeviceOnly() throws {
            try tree.show("ttyS0", type: "4")
            var file = stat()
            #expect(stat(tree.path("ttyS0"), &file) == 0)
            try tree.write("proc/4711/comm", "kwin_wayland")
            func lock(_ place: String) throws {
                try tree.write("proc/locks", "1: FLOCK  ADVISORY  WRITE 4711 \(place) 0 EOF")
            }
            try lock("00:00:\(file.st_ino)")
            #expect(access(to: "ttyS0") == .free)
            let (major, minor) = (file.st_dev >> 8 & 0xFFF, file.st_dev & 0xFF)
            try #require(file.st_dev >> 20 == 0, "the device number is small")
            try lock(String(format: "%02x:%02x:%llu", Int(major), Int(minor), file.st_ino))
            #expect(access(to: "ttyS0") == .locked(by: "kwin_wayland (process 4711)"))
        }

        @Test func aPortThatAnyProcessHasOpenIsInUse() throws {
            try tree.plugIn("ttyUSB0", .adapter, leadingTo: "/dev/full")
            #expect(try listed().map(\.access) == [.free])
            try tree.write("proc/4711/comm", "pronterface")
            try tree.link("proc/4711/fd/5", to: "/dev/full")
            #expect(try listed().map(\.access) == [.locked(by: "pronterface (process 4711)")])
            let known = try PortList.all(in: tree.system, openFiles: false)
            #expect(known.map(\.access) == [.free], "open files are checked only on request")
        }

        @Test func anOpenFileOfARealProcessIsSeen() throws {
            let shell = Process()
            let output = Pipe()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            // The shell prints that it is running, and then suspends itself.
            shell.arguments = ["-c", "echo here; kill -STOP $$"]
            shell.standardInput = FileHandle(forReadingAtPath: "/dev/full")
            shell.standardOutput = output
            try shell.run()
            defer { kill(shell.processIdentifier, SIGKILL) }
            #expect(try output.fileHandleForReading.read(upToCount: 5)?.count == 5)
            let holder = "sh (process \(shell.processIdentifier))"
            #expect(PortList.access(to: "/dev/full") == .locked(by: holder))
        }

        @Test func aLockFileOfAProgramThatRunsCounts() throws {
            try tree.show("ttyS0", type: "4")
            try tree.write("proc/\(getppid())/comm", "minicom")
            let lock = try tree.write("var/lock/LCK..ttyS0", "\(getppid()) minicom")
            #expect(
                access(to: "ttyS0")
                    == .locked(by: "minicom (process \(getppid())), according to \(lock)"))
            // This number is greater than any process id.
            try tree.write("var/lock/LCK..ttyS0", "\((1 << 22) + 1) minicom")
            #expect(access(to: "ttyS0") == .free)
        }
    }
#endif
