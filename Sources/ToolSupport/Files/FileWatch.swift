// FileWatch: waits until another program changes a file, or any file in a folder.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// Detects all changes to a file, or to the files in a folder. Another program can change a file by
/// writing to it, by renaming another file over it, or by deleting and recreating it.
///
/// The watch detects every change after its creation. Therefore, create the watch before you read
/// the file. A changed file may still be incomplete, because a program can write it in several
/// portions. Only one thread at a time may wait.
package final class FileWatch {
    /// A watched folder.
    private struct WatchedFolder {
        let events: FolderEvents
        /// The name of the watched file; nil if all files in the folder are watched.
        let file: String?
        /// The name that the watch reports for changes of the file.
        let reportedName: String?
        var stamps: [String: FileStamp] = [:]
    }

    private var folders: [WatchedFolder]
    private var nextCheckAt: HostTime = 0

    /// The time without another change after which changes are reported, in microseconds. Programs
    /// write a file in several steps, which are reported together.
    private static let quiet: Microseconds = 5_000
    /// The maximum time for which changes are collected before they are reported, in microseconds.
    private static let settling: Microseconds = 30_000
    /// The polling interval, in microseconds, for folders without events from the system, such as
    /// network folders.
    private static let checkInterval: Microseconds = 500_000

    /// Starts to watch a file, which need not exist, or all files directly in a folder.
    ///
    /// - Throws: `ToolError` if the folder of the path does not exist.
    package init(_ path: String) throws(ToolError) {
        if Self.isFolder(path) {
            folders = [WatchedFolder(events: FolderEvents(path), file: nil, reportedName: nil)]
        } else {
            // Both the link and its target are watched, because programs may write to the target or
            // replace the link.
            let file = URL(fileURLWithPath: path)
            let target = file.resolvingSymlinksInPath()
            let name = file.lastPathComponent
            let folder = file.deletingLastPathComponent()
            guard Self.isFolder(folder.path) else {
                throw ToolError(.noInput, "\(path): there is no folder \(folder.path)")
            }
            let isElsewhere =
                target.path != folder.resolvingSymlinksInPath().appendingPathComponent(name).path
            folders = (isElsewhere ? [file, target] : [file]).map {
                WatchedFolder(
                    events: FolderEvents($0.deletingLastPathComponent().path),
                    file: $0.lastPathComponent, reportedName: name)
            }
        }
        _ = checkAll()
    }

    /// Waits until files have been written, added or removed and no further changes occur. Returns
    /// the names of these files; an empty set if the timeout has elapsed or the signal was set.
    ///
    /// - Parameters:
    ///   - timeout: the maximum wait for the first change, in microseconds.
    ///   - eventSignal: a signal that ends the wait.
    package func changes(within timeout: Microseconds, orFor eventSignal: EventSignal? = nil)
        -> Set<String>
    {
        let deadline = Link.now() + timeout
        var changed: Set<String> = []
        while changed.isEmpty {
            switch wait(until: min(deadline, nextCheckAt), orFor: eventSignal) {
            case .happened: changed = drain()
            case .nothing:
                if Link.now() >= nextCheckAt { changed = checkAll() }
                if changed.isEmpty, Link.now() >= deadline { return [] }
            case .signalled: return []
            }
        }
        let end = Link.now() + Self.settling
        while Link.now() < end,
            wait(until: min(end, Link.now() + Self.quiet), orFor: nil) == .happened
        {
            changed.formUnion(drain())
        }
        return changed
    }

    private enum Waiting { case happened, nothing, signalled }

    private func wait(until deadline: HostTime, orFor eventSignal: EventSignal?) -> Waiting {
        var requests = folders.map(\.events.request)
        if let eventSignal { requests.append(eventSignal.request) }
        guard hostClock.poll(&requests, until: deadline) > 0 else { return .nothing }
        if let eventSignal, requests.last?.revents != 0 {
            eventSignal.drain()
            return .signalled
        }
        return .happened
    }

    /// Returns the names of the changed files.
    private func drain() -> Set<String> {
        var changed: Set<String> = []
        for index in folders.indices {
            let folder = folders[index]
            let names = folder.events.drain().filter { folder.file == nil || folder.file == $0 }
            changed.formUnion(names.map { folder.reportedName ?? $0 })
            // The stamps are updated, so that the same change is not reported twice.
            changed.formUnion(check(at: index))
        }
        return changed
    }

    private func checkAll() -> Set<String> {
        nextCheckAt = Link.now() + Self.checkInterval
        return folders.indices.reduce(into: []) { $0.formUnion(check(at: $1)) }
    }

    /// Returns the names of the files in a watched folder whose stamps have changed since the last
    /// check.
    private func check(at index: Int) -> Set<String> {
        let folder = folders[index]
        let names = folder.file.map { [$0] } ?? Self.names(in: folder.events.folder)
        var stamps: [String: FileStamp] = [:]
        for name in names { stamps[name] = FileStamp(folder.events.folder + "/" + name) }
        folders[index].stamps = stamps
        folder.events.follow(stamps)
        let changed = Set(stamps.keys).union(folder.stamps.keys)
            .filter { stamps[$0] != folder.stamps[$0] }
        return Set(changed.map { folder.reportedName ?? $0 })
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}

/// The attributes of a file that change when the file is written or replaced.
struct FileStamp: Equatable {
    private let file: UInt64
    private let size: Int64
    private let written: [Int]

    /// Reads the stamp of a file or of the target of a link; nil if the file does not exist.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        (file, size) = (UInt64(status.st_ino), Int64(status.st_size))
        written = times.flatMap { [Int($0.tv_sec), Int($0.tv_nsec)] }
    }
}
