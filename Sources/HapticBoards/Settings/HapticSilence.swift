// HapticSilence: a period in which haptics are muted, because a program records sound, images or
// motion.

import Foundation
import POSIX
import SerialPorts

/// A request that mutes the haptics of all programs of the user, for example because haptics would
/// disturb a recording with the camera, the microphone or a motion sensor.
///
///     let silence = try HapticSilence()
///     // record
///     silence.end()
///
/// Haptics are muted within 0.3 s, and players continue silently. The silence ends when ``end()``
/// is called, when the object is released, or when the requesting program ends for any reason. The
/// request is a locked file in the user's runtime folder, whose lock the system releases when the
/// program ends. Several programs may request silence at the same time.
public final class HapticSilence: Sendable {
    /// The error that is thrown if silence cannot be requested.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The path of the file or folder, and the reason.
        public let description: String
    }

    /// The file descriptor of the locked file; -1 after the silence has ended.
    private let descriptor: LockedValue<Int32>
    private let path: String

    /// Begins a silence.
    ///
    /// - Throws: `Failure` if the file cannot be created in a folder that belongs to the user.
    public convenience init() throws(Failure) {
        let folder: RuntimeFolder
        do { folder = try RuntimeFolder() } catch { throw Failure(description: "\(error)") }
        try self.init(in: Folder(in: folder))
    }

    package init(in folder: Folder) throws(Failure) {
        try folder.create()
        let name = UUID().uuidString
        let draft = folder.path + "/.\(name)"
        path = folder.path + "/" + name
        let file = open(draft, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        // The file is locked before it becomes visible, because other programs remove unlocked
        // files.
        guard file >= 0, flock(file, LOCK_EX) == 0, rename(draft, path) == 0 else {
            let failure = Failure(description: "\(path): \(String(cString: strerror(errno)))")
            if file >= 0 { close(file) }
            unlink(draft)
            throw failure
        }
        descriptor = LockedValue(file)
    }

    deinit { end() }

    /// Ends the silence. Further calls have no effect.
    public func end() {
        let file = descriptor.exchange(-1)
        guard file >= 0 else { return }
        unlink(path)
        close(file)
    }

    /// True if a program of the user currently requests silence.
    public static var isAsked: Bool { Folder.ofUser.isAsked }

    /// The folder that contains a file for each silence.
    package struct Folder: Sendable {
        package let path: String

        package init(path: String) { self.path = path }

        /// The folder `silence` in the user's runtime folder.
        package init(in runtime: RuntimeFolder) { path = runtime.path + "/silence" }

        /// The user's folder, whether or not the folder exists.
        package static var ofUser: Folder {
            Folder(path: RuntimeFolder.standardPath() + "/silence")
        }

        /// True if any file is locked. Unlocked files, which belong to programs that were killed,
        /// are removed.
        var isAsked: Bool {
            guard isOwn, let names = try? FileManager.default.contentsOfDirectory(atPath: path)
            else { return false }
            return names.contains { !$0.hasPrefix(".") && isHeld(path + "/" + $0) }
        }

        /// True if the folder belongs to the user, so that no other user can impose silence.
        private var isOwn: Bool {
            var status = stat()
            return lstat(path, &status) == 0 && status.st_uid == getuid()
        }

        private func isHeld(_ file: String) -> Bool {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            // Readers use a shared lock, so that no reader mistakes the lock of another reader for
            // a silence.
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
            unlink(file)
            return false
        }

        func create() throws(Failure) {
            do {
                try FileManager.default.createDirectory(
                    atPath: path, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } catch {
                throw Failure(description: "\(path): \(error.localizedDescription)")
            }
            guard isOwn else { throw Failure(description: "\(path): belongs to another user") }
        }
    }
}
