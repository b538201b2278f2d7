// PortSystem: the files in which the operating system describes serial ports and their users.

import POSIX

/// The folders in which the operating system shows serial ports and the processes that use them.
/// Tests use a tree of their own.
package struct PortSystem: Hashable, Sendable {
    /// The folder in which the kernel describes devices.
    package var sysfs = "/sys"
    /// The folder of the device files.
    package var devices = "/dev"
    /// The folder in which the kernel describes processes and locks.
    package var processes = "/proc"
    /// The folders in which minicom, cu and other programs leave lock files (UUCP).
    package var lockFolders = ["/var/lock", "/run/lock", "/var/spool/lock", "/var/spool/uucp"]

    package init() {}

    /// Creates the folders of a tree of this shape below `root`.
    package init(root: String) {
        sysfs = root + sysfs
        devices = root + devices
        processes = root + processes
        lockFolders = ["\(root)/var/lock"]
    }
}
