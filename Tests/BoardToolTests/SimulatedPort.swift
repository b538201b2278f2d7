// SimulatedPort: a simulated board behind a port that looks like a USB serial port.

import Foundation
import TestSupport

/// A board in a simulator, with a USB port that libserialport and avrdude take for a real one. It
/// disappears when the object is released.
///
/// Only programs that `run` or `bridge` starts can see the port.
class SimulatedPort {
    /// The path of the port, as programs that are started here see it.
    let port: String
    /// The pseudo-terminal behind the port.
    let terminal: String
    let folder: Folder
    private let program: BoardProgram

    /// The description that the board's USB chip gives of itself.
    struct USB: Sendable {
        var vendor: String
        var product: String
        var text: String
        var serialNumber: String
    }

    /// Starts a board.
    ///
    /// - Parameters:
    ///   - simulator: The program that simulates it.
    ///   - arguments: The program's arguments besides `--control`, by the folder for its files.
    init(
        _ simulator: URL, usb: USB, port: String, _ arguments: (Folder) -> [String]
    ) throws {
        folder = Folder()
        self.port = "/dev/\(port)"
        let control = folder.path("control")
        guard mkfifo(control, 0o666) == 0 else { throw CocoaError(.fileWriteUnknown) }
        program = try BoardProgram(simulator, ["--control", control] + arguments(folder))
        terminal = program.port
        try Self.plugIn(usb, port, terminal, folder)
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
            // Ports of the same name are served apart.
            "XDG_RUNTIME_DIR": folder.url.path,
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

    /// Returns the lines of the simulator's trace of a kind that have a number of words.
    func traceLines(_ kind: String, fields: Int = 3) -> [[String]] {
        program.traceText.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.count == fields && $0[0] == kind }
    }

    // MARK: Availability

    /// The folder of what is built for these tests.
    static let built = BoardSimulator.atmega328p.program.deletingLastPathComponent()
    private static let shim = built.appending(path: "port-shim.so")

    /// Returns whether tests run that need files: everything is present, or its absence counts as a
    /// failure.
    static func isExpected(with files: [URL]) -> Bool {
        (files + [shim]).allSatisfy { FileManager.default.fileExists(atPath: $0.path) }
            || ProcessInfo.processInfo.environment["BRIDGE_REQUIRE"]?.contains("simulatedPort")
                == true
    }
}
