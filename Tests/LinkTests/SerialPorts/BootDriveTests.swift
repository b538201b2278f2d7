// Tests of the drives of boot loaders: the identification of mounted drives, and the detection of
// unmounted drives.

#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import SerialPorts

    @Suite struct BootDriveTests {
        private let tree: PortTree

        init() throws { tree = try PortTree() }

        /// Mounts a folder as a drive. If `boardID` is given, the drive contains the description
        /// file of a boot loader.
        @discardableResult
        private func mount(
            _ name: String, from device: String = "/dev/sdb1", kind: String = "vfat",
            boardID: String? = nil
        ) throws -> String {
            if let boardID {
                let info =
                    "UF2 Bootloader v3.0\r\nModel: Raspberry Pi RP2\r\nBoard-ID: \(boardID)\r"
                try tree.write("media/\(name)/INFO_UF2.TXT", info)
            } else {
                try tree.write("media/\(name)/notes.txt", "nothing")
            }
            let path = tree.folder.path("media/\(name)")
            let escaped = path.replacing(" ", with: #"\040"#)
            try tree.write(
                "proc/mounts",
                tree.folder.text("proc/mounts") + "\(device) \(escaped) \(kind) rw,relatime 0 0")
            return path
        }

        /// Creates the files that the kernel creates for a USB drive with one partition.
        private func plugInDrive(_ name: String, _ vendor: String, _ product: String) throws {
            let device = "sys/devices/pci0000:00/usb1/1-2"
            let block = "\(device)/1-2:1.0/host6/target6:0:0/6:0:0:0/block/\(name)"
            try tree.write("\(device)/idVendor", vendor)
            try tree.write("\(device)/idProduct", product)
            try tree.write("\(block)/size", "262144")
            try tree.write("\(block)/\(name)1/partition", "1")
            for (link, path) in [(name, block), ("\(name)1", "\(block)/\(name)1")] {
                try tree.link("sys/class/block/\(link)", to: tree.folder.path(path))
            }
        }

        @Test func onlyADriveThatNamesItsBoardIsABootLoaders() throws {
            try mount("stick")
            let path = try mount("RPI-RP2", from: "/dev/sdc1", boardID: "RPI-RP2")
            let drives = BootDrive.mounted(in: tree.system)
            #expect(drives.map(\.path) == [path] && drives.map(\.boardID) == ["RPI-RP2"])
        }

        /// Checks a drive that reports invalid text as the name of a board. The text must neither
        /// control the terminal that displays it nor exhaust the memory.
        @Test func theTextOfADriveIsCutToAName() throws {
            try mount("evil", boardID: "RPI\u{1B}[31m\u{7}-RP2é")
            try mount("long", boardID: String(repeating: "x", count: 9_000))
            let endless = try mount("endless")
            let zeros = String(repeating: "\0", count: 1 << 20)
            try tree.write("media/endless/INFO_UF2.TXT", zeros + "\nBoard-ID: RPI-RP2")
            let drives = BootDrive.mounted(in: tree.system)
            #expect(drives.first { $0.path.hasSuffix("evil") }?.boardID == "RPI[31m-RP2")
            #expect(drives.first { $0.path.hasSuffix("long") }?.boardID.count == 64)
            #expect(!drives.contains { $0.path == endless }, "the name is not at the beginning")
        }

        @Test func aDriveWithASpaceInItsPathIsFound() throws {
            let path = try mount("my drive", boardID: "RP2350")
            #expect(BootDrive.mounted(in: tree.system).map(\.path) == [path])
        }

        @Test func onlyDrivesWithFATAreLookedInto() throws {
            try mount("server", kind: "nfs", boardID: "RPI-RP2")
            #expect(BootDrive.mounted(in: tree.system).isEmpty)
        }

        @Test func aBootLoaderThatIsNotMountedIsFoundByItsUSBId() throws {
            try plugInDrive("sdb", "2e8a", "0003")
            #expect(BootDrive.unmounted(in: tree.system) == [tree.path("sdb1")])
            try mount("RPI-RP2", from: tree.path("sdb1"), boardID: "RPI-RP2")
            #expect(BootDrive.unmounted(in: tree.system).isEmpty)
        }

        @Test func otherDrivesThatAreNotMountedAreNotOurs() throws {
            try plugInDrive("sdb", "0781", "5567")
            #expect(BootDrive.unmounted(in: tree.system).isEmpty)
        }

        @Test func aTouchSetsTheRateAndLetsDTRFall() throws {
            var master: Int32 = -1
            var slave: Int32 = -1
            try #require(openpty(&master, &slave, nil, nil, nil) == 0)
            defer {
                close(slave)
                close(master)
            }
            try PortHold.touch(String(cString: ttyname(slave)))
            var settings = termios()
            try #require(tcgetattr(slave, &settings) == 0)
            let speed = cfgetospeed(&settings)
            #expect(speed == speed_t(B1200))
            #expect(settings.c_cflag & tcflag_t(HUPCL) != 0)
            #expect(flock(slave, LOCK_EX | LOCK_NB) == 0, "the port is free again")
        }
    }
#endif
