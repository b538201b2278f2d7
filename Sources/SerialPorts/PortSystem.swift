// PortSystem: the folders in which the operating system describes serial ports, their users, and
// the drives of boot loaders.

import POSIX

/// The folders in which the operating system describes serial ports, the processes that use them,
/// and drives. Tests use folders of their own.
package struct PortSystem: Hashable, Sendable {
    /// The folder in which the kernel describes devices.
    package var sysfs = "/sys"
    /// The folder of the device files.
    package var devices = "/dev"
    /// The folder in which the kernel describes processes, locks and mounted drives.
    package var processes = "/proc"
    /// The folder in which macOS mounts drives.
    package var volumes = "/Volumes"
    /// The folders in which minicom, cu and other programs create lock files (UUCP).
    package var lockFolders = ["/var/lock", "/run/lock", "/var/spool/lock", "/var/spool/uucp"]

    package init() {}

    /// Creates the folders of a tree with the same structure below `root`.
    package init(root: String) {
        sysfs = root + sysfs
        devices = root + devices
        processes = root + processes
        volumes = root + volumes
        lockFolders = ["\(root)/var/lock"]
    }
}
