// FolderEvents: receives the operating system's events for the files in a folder.

import BridgeLink
import Dispatch
import POSIX
import SerialPorts

#if os(Linux)
    /// The events that inotify reports for a folder. If the folder is replaced, the new folder is
    /// watched.
    final class FolderEvents {
        let folder: String
        private let descriptor: Int32
        /// The watch descriptor; negative while the folder does not exist.
        private var watch: Int32 = -1

        private static let ofFiles =
            IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE
        private static let ofFolder = IN_DELETE_SELF | IN_MOVE_SELF
        /// The events after which the path no longer leads to the watched folder.
        private static let ends = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)
        private static let headerSize = MemoryLayout<inotify_event>.size

        init(_ folder: String) {
            self.folder = folder
            descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            begin()
        }

        deinit { close(descriptor) }

        private func begin() {
            watch = inotify_add_watch(descriptor, folder, UInt32(Self.ofFiles | Self.ofFolder))
        }

        /// The request that makes `poll` wait for events.
        var request: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

        /// Watches the folder again if it was replaced.
        func follow(_ files: [String: FileStamp]) { if watch < 0 { begin() } }

        /// Returns the names of the files that have changed since the last call.
        func drain() -> Set<String> {
            var names: Set<String> = []
            var bytes = [UInt8](repeating: 0, count: 1 << 14)
            while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
                bytes.withUnsafeBytes {
                    collect(UnsafeRawBufferPointer(rebasing: $0[..<count]), &names)
                }
            }
            return names
        }

        private func collect(_ events: UnsafeRawBufferPointer, _ names: inout Set<String>) {
            var start = 0
            while start + Self.headerSize <= events.count {
                let event = events.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                let name = events[(start + Self.headerSize)...].prefix(Int(event.len))
                if !name.isEmpty {
                    names.insert(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
                }
                if event.mask & Self.ends != 0, event.wd == watch {
                    if event.mask & UInt32(IN_MOVE_SELF) != 0 {
                        inotify_rm_watch(descriptor, watch)
                    }
                    watch = -1
                }
                start += Self.headerSize + Int(event.len)
            }
        }
    }
#else
    /// The events that dispatch sources report for a folder and its files. Dispatch sources do not
    /// report which file has changed.
    final class FolderEvents {
        let folder: String
        private let eventSignal: EventSignal?
        private var folderSource: (any DispatchSourceFileSystemObject)?
        private var folderStamp: FileStamp?
        private var fileSources: [String: Followed] = [:]

        private typealias Followed = (
            stamp: FileStamp, source: any DispatchSourceFileSystemObject
        )

        private let queue = DispatchQueue(label: "haptic-bridge.files")

        init(_ folder: String) {
            self.folder = folder
            eventSignal = try? EventSignal()
            follow([:])
        }

        deinit {
            folderSource?.cancel()
            for file in fileSources.values { file.source.cancel() }
        }

        private func source(of path: String) -> (any DispatchSourceFileSystemObject)? {
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename],
                queue: queue)
            source.setEventHandler { [eventSignal] in eventSignal?.signal() }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            return source
        }

        /// The request that makes `poll` wait for events.
        var request: pollfd {
            eventSignal?.request ?? pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
        }

        /// Watches the given files, including new files that have replaced watched files of the
        /// same name.
        func follow(_ files: [String: FileStamp]) {
            for (name, stamp) in files where fileSources[name]?.stamp != stamp {
                // The new source is created before the old one is canceled, so that no event is
                // missed.
                let source = source(of: folder + "/" + name)
                fileSources.removeValue(forKey: name)?.source.cancel()
                if let source { fileSources[name] = (stamp, source) }
            }
            for name in fileSources.keys where files[name] == nil {
                fileSources.removeValue(forKey: name)?.source.cancel()
            }
            let stamp = FileStamp(folder)
            guard stamp != folderStamp else { return }
            folderStamp = stamp
            let source = source(of: folder)
            folderSource?.cancel()
            folderSource = source
        }

        /// Consumes the events. The caller uses the stamps to find the changed files.
        func drain() -> Set<String> {
            eventSignal?.drain()
            return []
        }
    }
#endif
