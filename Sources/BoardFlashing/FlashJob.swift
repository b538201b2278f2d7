// FlashJob: flashes a board in the way that its boot loader requires.

import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

/// The board to flash, and the firmware for it.
package struct FlashJob {
    let board: KnownBoard
    /// The port of the board; nil to search for the port.
    let port: String?
    /// True if the search for the port includes USB-serial adapters.
    let searchAdapters: Bool
    /// The drive of a board that is already in its boot loader; nil to search for the drive.
    let drive: String?
    /// The number of actuators that the board will have.
    let actuatorCount: Int
    /// The path of the image; nil for the built-in image.
    let image: String?
    /// True to show the plan without flashing the board.
    let dryRun: Bool
    let output: OutputOptions

    package init(
        board: KnownBoard, port: String?, searchAdapters: Bool, drive: String?,
        actuatorCount: Int, image: String?, dryRun: Bool, output: OutputOptions
    ) {
        (self.board, self.port, self.searchAdapters) = (board, port, searchAdapters)
        (self.drive, self.actuatorCount, self.image) = (drive, actuatorCount, image)
        (self.dryRun, self.output) = (dryRun, output)
    }

    /// Flashes the board, or shows the plan.
    ///
    /// - Parameter show: a closure that shows the result. The connection to the board remains open
    ///   until the closure returns.
    package func run(_ show: (FlashedBoard) throws -> Void) throws {
        if let port = port ?? BoardSearch.environmentPort, NetworkAddress.isMeant(by: port) {
            throw ToolError(
                .usage, "\(port): a board cannot be flashed over TCP",
                advice: "flash the board at the computer to which it is connected")
        }
        switch board.loader {
        case .arduino(let baud, let capacity):
            try ArduinoFlashing(self, baud: baud, capacity: capacity).run(show)
        case .drive(let pins): try DriveFlashing(self, pins: pins).run(show)
        }
    }
}

/// A board whose new firmware has answered.
package struct FlashedBoard {
    /// The connection to the board.
    package let board: HapticBoard
    /// The size of the firmware, in bytes.
    package let size: Int
    /// The duration of the flashing, in microseconds.
    package let time: Int64
    /// The drive to which the firmware was copied; nil for a board without a drive.
    package var drive: BootDrive?
}

// MARK: Functions for both ways of flashing

extension FlashJob {
    /// Returns the bytes of the image in --image or, without this option, of the built-in image.
    /// Throws `ToolError`.
    func imageBytes(or own: [UInt8]) throws(ToolError) -> [UInt8] {
        try image.map { path throws(ToolError) in try InputFile(path).bytes } ?? own
    }

    /// Returns the error for an invalid image.
    ///
    /// - Parameter place: the location of the defect in the image, beginning with a separator.
    func defect(at place: String, _ reason: String) -> ToolError {
        ToolError(
            .badData, "\(image ?? "firmware")\(place): \(reason)", advice: "nothing was flashed")
    }

    /// Prints the plan of --dry-run.
    func showPlan(
        port: String?, drive: BootDrive? = nil, size: Int, command: String?, text: String
    ) throws {
        try output.result(
            [
                "schema": "bridge.flash/1", "dry_run": true, "port": .string(port),
                "drive": .string(drive?.path), "target": .string(board.name),
                "bytes": .number(size), "command": .string(command),
            ],
            text: text)
    }
}
