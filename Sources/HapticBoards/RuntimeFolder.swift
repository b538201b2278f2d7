// RuntimeFolder: the folder with the sockets of the boards that programs of the user serve.

import Checksum
import Foundation
import POSIX
import SerialPorts

/// The user's folder for the sockets of served boards. Other users cannot access the folder.
package struct RuntimeFolder {
    package let path: String

    /// Creates the folder if the folder does not exist. The folder is `haptic-bridge` in
    /// `XDG_RUNTIME_DIR`, or else in `/run/user/UID`, if that folder belongs to the user;
    /// otherwise, the folder is `haptic-bridge-UID` in the folder for temporary files.
    ///
    /// - Throws: `Refusal` if the folder cannot be created, belongs to another user, or can be
    ///   accessed by other users.
    package init(_ variables: [String: String] = HostProgram.current.environment) throws(Refusal) {
        path = Self.standardPath(variables)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Refusal(description: "\(path): cannot be created: \(errorText(errno))")
        }
        try check()
    }

    /// The existing folder; nil if there is no safe folder. Nothing is created.
    package static var present: RuntimeFolder? {
        let folder = RuntimeFolder(path: standardPath())
        return (try? folder.check()) == nil ? nil : folder
    }

    private init(path: String) { self.path = path }

    /// The reason why no socket can be created in the folder; nil if a socket can be created.
    /// Nothing is created.
    package static var obstacle: String? {
        let folder = RuntimeFolder(path: standardPath())
        let parent = folder.path.lastIndex(of: "/").map { String(folder.path[..<$0]) } ?? "."
        let isThere = access(folder.path, F_OK) == 0
        if isThere {
            do throws(Refusal) { try folder.check() } catch { return error.description }
        }
        guard access(isThere ? folder.path : parent, W_OK | X_OK) != 0 else { return nil }
        return "\(folder.path): cannot be \(isThere ? "written to" : "created"): "
            + errorText(errno)
    }

    private func check() throws(Refusal) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Refusal(description: "\(path): not a folder; delete this file")
        }
        guard Self.isPrivate(owner: status.st_uid, mode: status.st_mode, for: geteuid()) else {
            throw Refusal(
                description: "\(path): belongs to another user, or other users have access to it; "
                    + "protect the folder with `chmod 700`, or delete it")
        }
    }

    /// Returns the path of the folder, whether or not the folder exists.
    package static func standardPath(
        _ variables: [String: String] = HostProgram.current.environment
    ) -> String {
        let user = geteuid()
        let folders = [variables["XDG_RUNTIME_DIR"], "/run/user/\(user)"].compactMap(\.self)
        // A root shell may have inherited the variable of the user who opened the shell.
        let own = folders.first { folder in
            var status = stat()
            return folder.hasPrefix("/") && folder.utf8.count <= folderMax
                && stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                && status.st_uid == user
        }
        return own.map { $0 + "/haptic-bridge" }
            ?? NSTemporaryDirectory() + "haptic-bridge-\(user)"
    }

    /// The maximum length of the path of a socket, in bytes. macOS allows one more byte.
    private static let socketMax = 102
    /// The maximum length of the path of a folder that leaves room for the shortest socket name.
    private static let folderMax = socketMax - "/haptic-bridge/".utf8.count - hashLength
    private static let hashLength = 16

    /// The error for a folder in which a socket would not be safe.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Returns whether only `user` can access a folder.
    package static func isPrivate(owner: uid_t, mode: mode_t, for user: uid_t) -> Bool {
        owner == user && mode & 0o077 == 0
    }

    /// Returns the path of the socket of the board on a port. The name of the socket is the port's
    /// real path, with `+` instead of each `/`, or the beginning of the path's hash if that name
    /// would be too long.
    package func socket(ofPort port: String) -> String {
        let real = BoardIdentity.realPort(port)
        let name = real.drop { $0 == "/" }.replacingOccurrences(of: "/", with: "+")
        let whole = path + "/" + name
        guard whole.utf8.count > Self.socketMax else { return whole }
        return path + "/" + SHA256.hash(name.utf8).hexadecimal.prefix(Self.hashLength)
    }
}
