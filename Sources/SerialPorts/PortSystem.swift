// PortSystem: the folders in which the operating system describes serial ports, the programs that
// use the ports, and the drives of boot loaders.

import POSIX

/// The folders in which the operating system describes serial ports, the processes that use the
/// ports, and drives. Tests use other folders.
package struct PortSystem: Hashable, Sendable {
    /// The folder in which the kernel describes devices.
    package var sysfs = "/sys"
    /// The folder of the device files.
    package var devices = "/dev"
    /// The folder in which the kernel describes processes, locks and mounted drives.
    package var processes = "/proc"
    /// The folder in which macOS mounts drives.
    package var volumes = "/Volumes"
    /// The folders in which minicom, cu and other programs create lock files (UUCP convention).
    package var lockFolders = ["/var/lock", "/run/lock", "/var/spool/lock", "/var/spool/uucp"]

    package init() {}

    /// Creates the folders below `root`, with the same structure as in the file system.
    package init(root: String) {
        sysfs = root + sysfs
        devices = root + devices
        processes = root + processes
        volumes = root + volumes
        lockFolders = ["\(root)/var/lock"]
    }
}
