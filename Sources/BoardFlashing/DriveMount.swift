// DriveMount: mounts the drive of a boot loader if the system does not mount it.

import Foundation
import SerialPorts
import ToolSupport

enum DriveMount {
    /// The maximum time until the drive is mounted, in microseconds.
    private static let timeLimit: Int64 = 10_000_000

    /// Mounts the drive whose device file is `device`, with the permissions of the user. Throws
    /// `ToolError`.
    static func mount(_ device: String) throws(ToolError) -> BootDrive {
        let known = Set(BootDrive.mounted())
        if let program = InstalledProgram.find("udisksctl") { run(program, on: device) }
        if let drive = BootDrive.mounted().first(where: { !known.contains($0) }) { return drive }
        throw ToolError(
            .noBootLoader,
            "\(device): the board is in its boot loader, but its drive is not mounted",
            advice: "open the drive in a file manager, or mount it: udisksctl mount -b \(device)",
            "or: sudo mount -o uid=$(id -u) \(device) /mnt",
            "then flash the board again; nothing was written")
    }

    private static func run(_ program: URL, on device: String) {
        let process = Process()
        process.executableURL = program
        process.arguments = ["mount", "--block-device", device, "--no-user-interaction"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return }
        process.end(after: timeLimit)
    }
}
