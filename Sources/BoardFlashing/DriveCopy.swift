// DriveCopy: copies a file to the drive of a boot loader.

import POSIX
import SerialPorts
import ToolSupport

/// Copies a UF2 file to a drive that disappears as soon as the file is complete.
struct DriveCopy {
    private let drive: BootDrive

    private static let name = "firmware.uf2"
    /// The number of bytes in each portion of the file. After each portion, the file is
    /// synchronized, and a signal can end the copy.
    private static let portion = 8 * 512
    /// The errors that the system reports for a drive that was removed.
    private static let goneCodes: Set<Int32> = [EIO, ENXIO, ENODEV, ENOENT, ENOTDIR]

    init(_ drive: BootDrive) { self.drive = drive }

    /// Writes the file and waits until the drive has received all of it. Throws `ToolError`.
    ///
    /// The boot loader restarts the board as soon as it has received the last block, so the removal
    /// of the drive after the last block is not an error. The answer of the new firmware shows
    /// whether the firmware was written completely.
    /// - Parameter follow: a closure that is called with the progress, 0 to 1.
    func write(_ bytes: [UInt8], follow: (Double) -> Void) throws(ToolError) {
        let path = "\(drive.path)/\(Self.name)"
        // The drive of a boot loader contains no symbolic links, so a folder in which the file is a
        // link is not such a drive.
        let descriptor = open(
            path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure(ELOOP)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            if let status = Interruption.status {
                throw ToolError(
                    status,
                    "interrupted; the firmware on the board is incomplete: flash the board again")
            }
            let portion = rest.prefix(Self.portion)
            rest = rest.dropFirst(portion.count)
            var code = Self.store(portion, in: descriptor)
            if code == 0, access(path, F_OK) != 0 { code = errno }
            if code != 0, !rest.isEmpty || !Self.goneCodes.contains(code) { throw failure(code) }
            follow(1 - Double(rest.count) / Double(bytes.count))
        }
    }

    /// Writes bytes and synchronizes the file. Returns 0, or the value of `errno` if an operation
    /// has failed.
    private static func store(_ bytes: ArraySlice<UInt8>, in descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        while fsync(descriptor) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    private func failure(_ code: Int32) -> ToolError {
        switch code {
        case _ where Self.goneCodes.contains(code):
            ToolError(
                .inputOutput, "\(drive.path): unplugged while it was being written",
                advice: "the boot loader is intact: plug the board in and flash it again")
        case ELOOP, ENXIO:
            ToolError(
                .noBoard,
                "\(drive.path)/\(Self.name): not a file, so this is not the drive of a boot loader",
                advice: "specify the folder at which the drive is mounted")
        case EACCES, EPERM, EROFS:
            ToolError(
                .noPermission, "\(drive.path): you have no permission to write to the drive",
                advice: "mount the drive as yourself, for example in a file manager")
        default:
            ToolError(
                .inputOutput, "\(drive.path): writing failed: \(String(cString: strerror(code)))",
                advice: "the boot loader is intact: plug the board in and flash it again")
        }
    }
}
