// PluggedPort: a terminal that the programs it starts recognize as a USB serial port.

import Foundation

/// A terminal that libserialport and avrdude treat as a USB serial port. The files of the port are
/// removed when the object is released.
///
/// Only programs that `run` or `bridge` starts can access the port.
open class PluggedPort {
    /// The path of the port for the programs that this object starts.
    public let port: String
    /// The pseudo-terminal behind the port.
    public let terminal: String
    public let folder: Folder

    /// The descriptors of the USB device that provides the port.
    public struct USB: Sendable {
        public var vendor: String
        public var product: String
        public var text: String
        public var serialNumber: String

        public init(vendor: String, product: String, text: String, serialNumber: String) {
            (self.vendor, self.product) = (vendor, product)
            (self.text, self.serialNumber) = (text, serialNumber)
        }

        public static let uno = Self(
            vendor: "2341", product: "0043", text: "Arduino Uno", serialNumber: "5573")
        public static let nano = Self(
            vendor: "1a86", product: "7523", text: "USB Serial", serialNumber: "")
        public static let pico = Self(
            vendor: "2e8a", product: "000a", text: "Pico", serialNumber: "E6605838")
        /// A device of an unknown type.
        public static let stranger = Self(
            vendor: "1d50", product: "6018", text: "Probe", serialNumber: "7A")
    }

    /// Presents a terminal as a port.
    ///
    /// - Parameters:
    ///   - port: the name of the port, for example `ttyACM7`.
    ///   - latency: the latency timer of the USB chip, in milliseconds; nil if the chip cannot
    ///     report one.
    public init(
        _ usb: USB, port: String, terminal: String, latency: Int? = nil, folder: Folder = Folder()
    ) throws {
        (self.folder, self.terminal) = (folder, terminal)
        self.port = "/dev/\(port)"
        try Self.plugIn(usb, port, terminal, folder)
        guard let latency else { return }
        let timer = "sys/class/tty/\(port)/device/latency_timer"
        _ = try folder.write(timer, "\(latency)\n")
    }

    /// Creates the files that the kernel creates for a port: the link in the folder of the device
    /// class, and the USB device that contains the port.
    private static func plugIn(_ usb: USB, _ port: String, _ terminal: String, _ folder: Folder)
        throws
    {
        let files = FileManager.default
        let device = folder.url.appending(path: "sys/devices/usb1/1-1")
        let interface = device.appending(path: "1-1:1.0")
        let tty = interface.appending(path: "tty/\(port)")
        let classFolder = folder.url.appending(path: "sys/class/tty")
        for url in [tty, classFolder] + ["dev", "lines"].map({ folder.url.appending(path: $0) }) {
            try files.createDirectory(at: url, withIntermediateDirectories: true)
        }
        let facts = [
            "busnum": "1", "devnum": "7", "idVendor": usb.vendor, "idProduct": usb.product,
            "product": usb.text, "manufacturer": "Arduino", "serial": usb.serialNumber,
        ]
        for (name, text) in facts where !text.isEmpty {
            try Data((text + "\n").utf8).write(to: device.appending(path: name))
        }
        func link(_ place: URL, to destination: String) throws {
            try files.createSymbolicLink(
                atPath: place.path, withDestinationPath: destination)
        }
        try link(tty.appending(path: "device"), to: "../../../1-1:1.0")
        try link(
            classFolder.appending(path: port), to: "../../devices/usb1/1-1/1-1:1.0/tty/\(port)")
        let bus = folder.url.appending(path: "sys/bus/usb/devices")
        try files.createDirectory(at: bus, withIntermediateDirectories: true)
        try link(bus.appending(path: "1-1"), to: "../../../devices/usb1/1-1")
        try link(folder.url.appending(path: "dev/\(port)"), to: terminal)
        let number = terminal.split(separator: "/").last!
        try link(folder.url.appending(path: "lines/\(number)"), to: "../control")
    }

    /// Removes the port and its USB device, and removes the port from the list of ports.
    public func remove() {
        removePort()
        try? FileManager.default.removeItem(
            at: folder.url.appending(path: "sys/bus/usb/devices/1-1"))
    }

    /// Removes the port but keeps the USB device, as if a program had detached the driver of the
    /// device.
    public func removePort() {
        for name in ["dev", "sys/class/tty", "sys/devices/usb1/1-1/1-1:1.0/tty"] {
            try? FileManager.default.removeItem(at: folder.url.appending(path: name))
        }
        try? FileManager.default.createDirectory(
            at: folder.url.appending(path: "sys/class/tty"), withIntermediateDirectories: true)
    }

    // MARK: Programs

    /// Runs `bridge` to its end.
    public func bridge(_ arguments: String..., environment: [String: String] = [:]) throws
        -> Outcome
    {
        try run(Tool.executable("bridge"), arguments, environment: environment)
            .outcome(within: Self.longestRun)
    }

    /// Starts a program that can access the port.
    public func run(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> RunningTool {
        let tool = try RunningTool(
            program, arguments, environment: self.environment.merging(environment) { $1 })
        tool.prefer()
        return tool
    }

    /// Runs `bridge` as a user without permission to open the port. Returns nil if this computer
    /// cannot run the tool as another user.
    public func bridgeWithoutPermission(_ arguments: String...) throws -> Outcome? {
        let bridge = Tool.executable("bridge")
        guard geteuid() == 0 else {
            chmod(terminal, 0)
            return try run(bridge, arguments).outcome()
        }
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        let setpriv = URL(fileURLWithPath: "/usr/bin/setpriv")
        let trial = try run(setpriv, nobody + [bridge.path, "--version"]).outcome()
        guard trial.status == 0 else { return nil }
        return try run(setpriv, nobody + [bridge.path] + arguments).outcome()
    }

    /// Runs `bridge` with a terminal as its standard input and standard error. Returns its exit
    /// status and the terminal's output.
    public func bridgeInTerminal(_ arguments: [String], answer: String) throws -> (Int32, String) {
        var master: Int32 = -1
        var slave: Int32 = -1
        guard openpty(&master, &slave, nil, nil, nil) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        let keyboard = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        let screen = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        let tool = Process()
        tool.executableURL = Tool.executable("bridge")
        tool.arguments = arguments
        tool.environment = ProcessInfo.processInfo.environment
            .merging(["BRIDGE_PORT": "", "XDG_CONFIG_HOME": folder.path("config")]) { $1 }
            .merging(environment) { $1 }
        tool.standardInput = screen
        tool.standardError = screen
        tool.standardOutput = FileHandle.nullDevice
        try tool.run()
        try keyboard.write(contentsOf: Data(answer.utf8))
        tool.waitUntilExit()
        try screen.close()
        // The terminal may deliver its output in several parts.
        var output: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(master, &part, part.count), count > 0 {
            output += part.prefix(count)
        }
        return (tool.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// The environment variables that give a program access to the port.
    public var environment: [String: String] {
        [
            "LD_PRELOAD": Self.shim.path, "PORT_SHIM_ROOT": folder.url.path,
            "XDG_STATE_HOME": folder.path("state"),
            // A separate folder for each port distinguishes the servers of ports with the same
            // name.
            "XDG_RUNTIME_DIR": folder.url.path,
        ]
    }

    /// The maximum run time of a program, in seconds. Flashing takes 12 s, or longer if the
    /// simulator shares its processor with other programs.
    private static let longestRun = 120.0

    // MARK: Drives of boot loaders

    /// Lists the given folders as mounted drives in the simulated system.
    public func mount(_ folders: [String]) throws {
        try makeFolder("proc")
        let lines = folders.map { "/dev/sda1 \($0) vfat rw,relatime 0 0\n" }
        _ = try folder.write("proc/mounts", lines.joined())
    }

    /// Adds the drive of another board in its boot loader, and returns the drive's folder.
    public func addDrive(_ name: String, boardID: String) throws -> String {
        let path = "media/\(name)"
        try makeFolder(path)
        _ = try folder.write(
            "\(path)/INFO_UF2.TXT", "UF2 Bootloader v1.0\r\nBoard-ID: \(boardID)\r\n")
        return folder.path(path)
    }

    private func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(path), withIntermediateDirectories: true)
    }

    // MARK: Availability

    /// The folder of the programs built for these tests.
    public static let built = BoardSimulator.atmega328p.program.deletingLastPathComponent()
    private static let shim = built.appending(path: "port-shim.so")

    /// Returns true if the tests that need the port and the given files must run: all files are
    /// present, or the absence of a file must be a failure.
    public static func isExpected(with files: [URL] = []) -> Bool {
        (files + [shim]).allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
            || ProcessInfo.processInfo.environment["BRIDGE_REQUIRE"]?.contains("simulatedPort")
                == true
    }
}
