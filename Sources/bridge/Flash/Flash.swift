// bridge flash: writes the firmware to a board.

import ATmega328PFirmware
import ArgumentParser
import BridgeLink
import HapticBridge
import JSONText
import SerialPorts

struct Flash: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the firmware to an Arduino Uno or Nano.",
        discussion: """
            Writes the firmware that is part of this program, verifies it, gives a board without \
            an id a new one, and waits until the new firmware answers. The port is the one that is \
            named, or else the only one that may be a board. avrdude must be installed.

            The boot loader of old Nanos hangs after a reset by the watchdog. The actuator is then \
            at rest, and the board answers again after it was unplugged and plugged in.

            Examples:
              bridge flash --board uno
              bridge flash --board nano-old --port /dev/ttyUSB0
              bridge flash --board uno --several
            """)

    @Option(help: "uno, nano, or nano-old for a Nano whose boot loader dates from before 2018.")
    var board: FlashBoard

    @Option(
        name: [.customShort("p"), .customLong("port")],
        help: ArgumentHelp(
            "The port of the board. Default: BRIDGE_PORT, or the only port that may be a board.",
            valueName: "path"))
    var port: String?

    @OptionGroup var search: SearchOptions

    @Flag(help: "Write the firmware for up to four actuators behind a TCA9548A.")
    var several = false

    @Option(help: ArgumentHelp("Another firmware image, in Intel HEX format.", valueName: "file"))
    var image: String?

    @Flag(help: "Show what would be done, without doing it.")
    var dryRun = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard !several || image == nil else {
            throw ValidationError(
                "--several and --image cannot be combined: each chooses a firmware.")
        }
    }

    func run() throws {
        let (text, size) = try readImage()
        let port = try search.port(named: port, serial: nil)
        let avrdude = Avrdude(port: port, board: board)
        if dryRun { return try showPlan(avrdude, size: size) }
        _ = try Avrdude.find()
        let started = Link.now()
        let connected = try flash(text, with: avrdude)
        defer { connected.close() }
        try show(connected, size: size, time: Link.now() - started)
    }

    // MARK: What and where

    /// Returns the file's text and the size of the program in it. Throws `ToolError`.
    private func readImage() throws(ToolError) -> (text: [UInt8], size: Int) {
        let text =
            try image.map { path throws(ToolError) in try InputFile(path).bytes }
            ?? (several ? FirmwareImage.several : FirmwareImage.one)
        do {
            return (text, try HexImage(text, capacity: board.capacity).bytes.count)
        } catch {
            throw ToolError(
                .badData, "\(image ?? "firmware"):\(error.line): \(error.reason)",
                advice: "nothing was flashed")
        }
    }

    // MARK: Flashing

    /// Flashes the board, and returns it connected. Throws `ToolError`.
    private func flash(_ text: [UInt8], with avrdude: Avrdude) throws -> HapticBoard {
        try write(.hex(text), "firmware", with: avrdude)
        let connected = try connect(avrdude.port)
        guard connected.welcome.boardID == 0 else { return connected }
        connected.close()
        output.remark("the board has no id and gets a new one")
        let id = UInt64.random(in: 1 ... .max)
        try write(.program(IdentityProgram.bytes(id: id)), "id", with: avrdude)
        Thread.sleep(forTimeInterval: IdentityProgram.time)
        try write(.hex(text), "firmware", with: avrdude)
        return try connect(avrdude.port)
    }

    private func write(_ content: Avrdude.Content, _ title: String, with avrdude: Avrdude) throws {
        let display = FlashDisplay(isQuiet: output.quiet)
        do {
            let hold = try PortHold(path: avrdude.port)
            defer { hold.release() }
            try Interruption.deferred {
                defer { display.clear() }
                try avrdude.write(content) { display.show(title, $0) }
            }
        } catch {
            throw ToolError(error, port: avrdude.port)
        }
    }

    private func connect(_ port: String) throws(ToolError) -> HapticBoard {
        do {
            return try BoardSearch.connect(port: port)
        } catch {
            var error = ToolError(error, port: port)
            error.message += "; the image was flashed and verified"
            throw error
        }
    }

    // MARK: Results

    private func showPlan(_ avrdude: Avrdude, size: Int) throws {
        let file = image ?? "FIRMWARE"
        let command = (["avrdude"] + avrdude.arguments(file: file)).joined(separator: " ")
        try output.result(
            [
                "schema": "bridge.flash/1", "dry_run": true, "port": .string(avrdude.port),
                "target": .string(board.rawValue), "bytes": .number(size),
                "command": .string(command),
            ],
            text: "would write \(size) bytes to \(avrdude.port):\n  \(command)")
    }

    private func show(_ connected: HapticBoard, size: Int, time: Int64) throws {
        let table = BoardFacts.table(connected.welcome, path: connected.path)
        try output.result(
            [
                "schema": "bridge.flash/1", "dry_run": false, "port": .string(connected.path),
                "target": .string(board.rawValue), "bytes": .number(size),
                "seconds": .thousandths(time / 1_000),
                "board": BoardFacts.json(connected.welcome),
            ],
            text: "\(connected.path): \(size) bytes written and verified in \(time.secondsText)\n"
                + table.text)
        for actuator in 0..<connected.welcome.actuators {
            let status = try connected.waitUntilSettled(actuator)
            guard status.state == .unconfigured else { continue }
            output.remark(ToolError(unconfigured: actuator, at: connected.path))
        }
    }
}
