// ArduinoFlashing: flashes an Arduino Uno or Nano with avrdude.

import BridgeLink
import HapticBridge
import POSIX
import SerialPorts
import ToolSupport

/// Flashes a board whose boot loader communicates with avrdude.
struct ArduinoFlashing {
    private let job: FlashJob
    private let baud: Int
    private let capacity: Int

    init(_ job: FlashJob, baud: Int, capacity: Int) {
        (self.job, self.baud, self.capacity) = (job, baud, capacity)
    }

    func run(_ show: (FlashedBoard) throws -> Void) throws {
        let (text, size) = try readImage()
        let search = PortSearch(searchesAdapters: job.searchAdapters)
        let port = try search.port(named: job.port, serial: nil)
        guard access(port, F_OK) == 0 else {
            throw ToolError(TransportError.notFound(path: port), port: port)
        }
        guard SerialPort.exists(port) else {
            throw ToolError(
                .usage, "\(port): not a serial port, so no boot loader can answer there",
                advice: "`bridge list` shows the ports")
        }
        _ = try Avrdude.find()
        let avrdude = Avrdude(port: port, board: job.board, baud: baud)
        if job.dryRun { return try showPlan(avrdude, size: size) }
        try BoardOptions.release(port)
        let started = Link.now()
        let connected = try flash(text, with: avrdude)
        defer { connected.close() }
        try show(FlashedBoard(board: connected, size: size, time: Link.now() - started))
    }

    /// Returns the text of the image and the size of the program in it. Throws `ToolError`.
    private func readImage() throws(ToolError) -> (text: [UInt8], size: Int) {
        let text = try job.imageBytes(
            or: job.actuatorCount > 1 ? FirmwareImage.several : FirmwareImage.one)
        do {
            return (text, try HexImage(text, capacity: capacity).bytes.count)
        } catch {
            throw job.defect(at: ":\(error.line)", error.reason)
        }
    }

    /// Flashes the board and returns the connection to it. Throws `ToolError`.
    private func flash(_ text: [UInt8], with avrdude: Avrdude) throws -> HapticBoard {
        try write(.hex(text), "firmware", with: avrdude, isFirst: true)
        let connected = try connect(avrdude.port)
        guard connected.welcome.boardID == 0 else { return connected }
        connected.close()
        job.output.remark("the board has no id and receives one")
        let id = UInt64.random(in: 1 ... .max)
        try write(.program(IdentityProgram.bytes(id: id)), "id", with: avrdude)
        Thread.sleep(forTimeInterval: IdentityProgram.time)
        try write(.hex(text), "firmware", with: avrdude)
        return try connect(avrdude.port)
    }

    private func write(
        _ content: Avrdude.Content, _ title: String, with avrdude: Avrdude, isFirst: Bool = false
    ) throws {
        let display = FlashDisplay(isQuiet: job.output.quiet)
        do {
            let hold = try PortHold(path: avrdude.port)
            defer { hold.release() }
            try Interruption.deferred {
                defer { display.clear() }
                if isFirst {
                    job.output.remark(
                        "\(avrdude.port): waiting for the boot loader at \(baud) baud")
                }
                try avrdude.write(content, isFirst: isFirst) { display.show(title, $0) }
            }
        } catch {
            throw ToolError(error, port: avrdude.port)
        }
    }

    /// The advice on a chip that is not an ATmega328P but has the signature of an ATmega328P. Such
    /// a chip runs from its internal oscillator, so its baud rate is only a fraction of the
    /// expected rate.
    private static let clone =
        "if the chip is marked LGT8F328P, it is not an ATmega328P, although it has the signature "
        + "of one: the firmware needs the 16 MHz clock of an ATmega328P; use a board with an "
        + "ATmega328P"

    private func connect(_ port: String) throws(ToolError) -> HapticBoard {
        do {
            return try BoardSearch.connect(port: port)
        } catch {
            var error = ToolError(error, port: port)
            error.message += "; the image was flashed and verified"
            if error.status == .noBoard || error.status == .busy { error.advice += [Self.clone] }
            throw error
        }
    }

    private func showPlan(_ avrdude: Avrdude, size: Int) throws {
        let words = ["avrdude"] + avrdude.arguments(file: job.image ?? "FIRMWARE")
        let line = words.joined(separator: " ")
        try job.showPlan(
            port: avrdude.port, size: size, command: line,
            text: "would write \(size) bytes to \(avrdude.port):\n  \(line)")
    }
}
