// FolderStamp: the time at which a folder was last modified.

import POSIX

/// The time at which an entry was last added to, or removed from, a folder.
package struct FolderStamp: Equatable {
    private let seconds: Int
    private let nanoseconds: Int

    /// Reads the modification time of a folder with one system call; nil if the folder does not
    /// exist.
    package init?(_ path: String) {
        guard let status = SystemFile.status(of: path) else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
}
