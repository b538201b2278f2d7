// SimulatedUno: the simulated ATmega328P behind a port that looks like an Arduino's USB serial
// port.

import Foundation
import TestSupport

/// An Uno with chip, boot loader, EEPROM, DRV2605L, and a USB port that libserialport and avrdude
/// take for a real one. It disappears when the object is released.
///
/// Only programs that `run` or `bridge` starts can see the port.
final class SimulatedUno {
    /// The path of the port, as programs that are started here see it.
    let port: String
    /// The pseudo-terminal behind the port.
    let terminal: String
    private let program: BoardProgram
    private let folder: Folder

    /// The description that the board's USB chip gives of itself.
    struct USB: Sendable {
        var vendor: String
        var product: String
        var text: String
        var serialNumber: String

        static let uno = USB(
            vendor: "2341", product: "0043", text: "Arduino Uno", serialNumber: "5573")
        static let nano = USB(
            vendor: "1a86", product: "7523", text: "USB Serial", serialNumber: "")
    }

    /// Starts a board.
    ///
    /// - Parameters:
    ///   - image: The contents of flash apart from the boot loader; nil if there are none.
    ///   - latency: The time for which the USB chip holds answers back, in milliseconds; nil if it
    ///     cannot report one.
    ///   - options: The simulator's options, for example `["--no-driver"]`.
    init(
        image: URL? = BoardSimulator.atmega328p.image, bootLoader: URL = SimulatedUno.optiboot,
        usb: USB = .uno, port: String = "ttyACM7", latency: Int? = nil, options: [String] = []
    ) throws {
        folder = Folder()
        self.port = "/dev/\(port)"
        let control = folder.path("control")
        guard mkfifo(control, 0o666) == 0 else { throw CocoaError(.fileWriteUnknown) }
        program = try BoardProgram(
            BoardSimulator.atmega328p.program,
            [
                "--control", control, "--bootloader", bootLoader.path, "--eeprom",
                folder.path("eeprom"),
            ] + options + (image.map { [$0.path] } ?? []))
        terminal = program.port
        try Self.plugIn(usb, port, terminal, folder)
        if let latency {
            let timer = "sys/class/tty/\(port)/device/latency_timer"
            _ = try folder.write(timer, "\(latency)\n")
        }
    }

    /// Presents the port as the kernel does: with the link in the class's folder and the USB device
    /// above it.
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
        try link(folder.url.appending(path: "dev/\(port)"), to: terminal)
        let number = terminal.split(separator: "/").last!
        try link(folder.url.appending(path: "lines/\(number)"), to: "../control")
    }

    // MARK: Programs

    /// Runs `bridge` and waits for its end.
    func bridge(_ arguments: String..., environment: [String: String] = [:]) throws
        -> Outcome
    {
        try run(Tool.executable("bridge"), arguments, environment: environment)
            .outcome(within: Self.longestRun)
    }

    /// Starts a program that sees the port.
    func run(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> RunningTool {
        let tool = try RunningTool(
            program, arguments, environment: self.environment.merging(environment) { $1 })
        Self.prefer(tool.process)
        return tool
    }

    /// Gives a process priority over others, where the system allows it. The board needs it, and so
    /// does its host, which would otherwise be silent for too long.
    private static func prefer(_ process: Process) {
        #if os(Linux)
            let which = __priority_which_t(PRIO_PROCESS.rawValue)
            setpriority(which, id_t(process.processIdentifier), -10)
        #endif
    }

    /// Runs `bridge` as a user who may not open the port; nil if this computer cannot run it as
    /// another user.
    func bridgeWithoutPermission(_ arguments: String...) throws -> Outcome? {
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

    /// The environment variables that make a program see the port.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.shim.path, "PORT_SHIM_ROOT": folder.url.path,
            "XDG_STATE_HOME": folder.path("state"),
        ]
    }

    /// The longest run of a program, in seconds. Flashing takes 12 s, and longer where the
    /// simulator has to share its processor.
    private static let longestRun = 120.0

    // MARK: The board

    /// Sends the simulator a command, for example `chip short on`, and returns when it has been
    /// executed.
    func happen(_ command: String) throws {
        let descriptor = open(folder.path("control"), O_WRONLY | O_NONBLOCK)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        let pipe = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let before = answers
        // `idle` is answered as soon as the command before it has been executed.
        try pipe.write(contentsOf: Data("\(command)\nidle\n".utf8))
        guard wait(until: { answers > before }) else { throw CocoaError(.fileWriteUnknown) }
    }

    private var answers: Int {
        program.traceText.split(separator: "\n").count { $0.hasPrefix("idle ") }
    }

    /// Pulls the cable: the port disappears, also for programs that have it open.
    func unplug() {
        _ = program.end()
        for name in ["dev", "sys/class/tty"] {
            try? FileManager.default.removeItem(at: folder.url.appending(path: name))
        }
        try? FileManager.default.createDirectory(
            at: folder.url.appending(path: "sys/class/tty"), withIntermediateDirectories: true)
    }

    /// The causes of the board's resets so far, in order, for example `["power", "external"]`.
    var resets: [String] { traceLines("reset").map { $0[2] } }

    /// The number of bytes that the board or its boot loader has sent so far.
    var sentCount: Int { traceLines("tx").count }

    /// Waits until avrdude is in the middle of writing, when the boot loader has answered for some
    /// pages. The boot loader answers 4 bytes for each of the 96 pages, and sends all of the pages
    /// back for verification.
    func waitUntilFlashing() -> Bool { wait { sentCount > 120 } }

    /// Whether the host's end of the cable holds DTR. The state that a program leaves behind
    /// appears here a moment after the program has ended.
    var holdsDTR: Bool { traceLines("dtr").last?[2] == "on" }

    /// The values with which the chip has driven the actuator so far, -255...255, one per change.
    var drives: [Int] { traceLines("drive").compactMap { Int($0[2]) } }

    /// Returns the values with which one of several chips has driven its actuator so far,
    /// -255...255, one per change.
    func drives(of chip: Int) -> [Int] {
        traceLines("drive", fields: 4).filter { $0[3] == "\(chip)" }.compactMap { Int($0[2]) }
    }

    private func traceLines(_ kind: String, fields: Int = 3) -> [[String]] {
        program.traceText.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.count == fields && $0[0] == kind }
    }

    // MARK: Availability

    private static let folder = BoardSimulator.atmega328p.program.deletingLastPathComponent()
    static let shim = folder.appending(path: "port-shim.so")
    /// A boot loader at 115,200 baud.
    static let optiboot = folder.appending(path: "optiboot.hex")
    /// The boot loader of old Nanos, at 57,600 baud.
    static let atmegaBoot = folder.appending(path: "atmegaboot.hex")

    /// An older version of the firmware.
    static let earlierImage = folder.appending(path: "earlier.hex")

    /// The firmware with a protocol older than this host's.
    static let oldImage = folder.appending(path: "old.hex")

    /// A description of the first file that has not been built or is absent; nil if nothing is
    /// missing.
    static let absence: String? =
        [
            BoardSimulator.atmega328p.program, BoardSimulator.atmega328p.image, shim, optiboot,
            atmegaBoot, earlierImage,
            oldImage,
        ]
        .map(\.path).first { !FileManager.default.fileExists(atPath: $0) }
        .map { "\($0) is not built" }

    /// Whether the tests run: everything is present, or its absence counts as a failure.
    static let isExpected =
        absence == nil
        || ProcessInfo.processInfo.environment["BRIDGE_REQUIRE"]?.contains("simulatedPort") == true
}
