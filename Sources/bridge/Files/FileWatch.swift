// FileWatch: waits until a file, or any file of a folder, has been changed by another program.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// A file or a folder whose changes are waited for, however a program makes them: by writing into a
/// file, by renaming another one over it, or by deleting it and making it anew.
///
/// Changes that come after the watch was made are never missed, so that a caller makes the watch
/// first and then reads. What has changed may still be incomplete: a program can write in several
/// portions. One thread waits.
final class FileWatch {
    /// A folder that is watched.
    private struct Place {
        let events: FolderEvents
        /// The only file of interest; nil for all.
        let file: String?
        /// The name by which changes of the file are reported.
        let reportedName: String?
        var stamps: [String: FileStamp] = [:]
    }

    private var places: [Place]
    private var nextLookAt: HostTime = 0

    /// The time without a change after which changes are reported, in microseconds: programs write
    /// a file in several steps.
    private static let quiet: Microseconds = 5_000
    /// The time after which changes are reported although more come.
    private static let settling: Microseconds = 30_000
    /// The interval at which files are looked at where the system tells of no change, as in folders
    /// of other computers.
    private static let lookInterval: Microseconds = 500_000

    /// Begins to watch a file, which need not exist, or all files directly in a folder.
    ///
    /// - Throws: `ToolError` if there is no folder at the path or around it.
    init(_ path: String) throws(ToolError) {
        if Self.isFolder(path) {
            places = [Place(events: FolderEvents(path), file: nil, reportedName: nil)]
        } else {
            // Programs may write to the file that a link leads to, or replace the link.
            let file = URL(fileURLWithPath: path)
            let target = file.resolvingSymlinksInPath()
            let name = file.lastPathComponent
            let folder = file.deletingLastPathComponent()
            guard Self.isFolder(folder.path) else {
                throw ToolError(.noInput, "\(path): there is no folder \(folder.path)")
            }
            let isElsewhere =
                target.path != folder.resolvingSymlinksInPath().appendingPathComponent(name).path
            places = (isElsewhere ? [file, target] : [file]).map {
                Place(
                    events: FolderEvents($0.deletingLastPathComponent().path),
                    file: $0.lastPathComponent, reportedName: name)
            }
        }
        _ = lookEverywhere()
    }

    /// Returns the names of the files that have been written, added or removed, once nothing more
    /// happens to them; none at the time-out or at a signal.
    ///
    /// - Parameters:
    ///   - timeout: the longest wait for a first change, in microseconds.
    ///   - wakeUp: a signal that ends the wait.
    func changes(within timeout: Microseconds, orFor wakeUp: WakeUp? = nil) -> Set<String> {
        let deadline = Link.now() + timeout
        var changed: Set<String> = []
        while changed.isEmpty {
            switch wait(until: min(deadline, nextLookAt), orFor: wakeUp) {
            case .happened: changed = take()
            case .nothing:
                if Link.now() >= nextLookAt { changed = lookEverywhere() }
                if changed.isEmpty, Link.now() >= deadline { return [] }
            case .signalled: return []
            }
        }
        let end = Link.now() + Self.settling
        while Link.now() < end,
            wait(until: min(end, Link.now() + Self.quiet), orFor: nil) == .happened
        {
            changed.formUnion(take())
        }
        return changed
    }

    private enum Waiting { case happened, nothing, signalled }

    private func wait(until deadline: HostTime, orFor wakeUp: WakeUp?) -> Waiting {
        var requests = places.map(\.events.request)
        if let wakeUp { requests.append(wakeUp.request) }
        guard hostClock.poll(&requests, until: deadline) > 0 else { return .nothing }
        if let wakeUp, requests.last?.revents != 0 {
            wakeUp.take()
            return .signalled
        }
        return .happened
    }

    /// Returns the names of the files to which something has happened.
    private func take() -> Set<String> {
        var changed: Set<String> = []
        for index in places.indices {
            let place = places[index]
            let names = place.events.take().filter { place.file == nil || place.file == $0 }
            changed.formUnion(names.map { place.reportedName ?? $0 })
            // What is reported now is not reported again by its stamp.
            changed.formUnion(look(at: index))
        }
        return changed
    }

    private func lookEverywhere() -> Set<String> {
        nextLookAt = Link.now() + Self.lookInterval
        return places.indices.reduce(into: []) { $0.formUnion(look(at: $1)) }
    }

    /// Returns the names of the files of a place whose stamps have changed since the last look.
    private func look(at index: Int) -> Set<String> {
        let place = places[index]
        let names = place.file.map { [$0] } ?? Self.names(in: place.events.folder)
        var stamps: [String: FileStamp] = [:]
        for name in names { stamps[name] = FileStamp(place.events.folder + "/" + name) }
        places[index].stamps = stamps
        place.events.follow(stamps)
        let changed = Set(stamps.keys).union(place.stamps.keys)
            .filter { stamps[$0] != place.stamps[$0] }
        return Set(changed.map { place.reportedName ?? $0 })
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

/// The marks by which the file system shows that a file is another one, or has been written.
struct FileStamp: Equatable {
    private let file: UInt64
    private let size: Int64
    private let written: [Int]

    /// Reads the stamp of a file, with links followed; nil if there is none.
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
