// RuntimeFolder: where the sockets of boards are that programs of the user serve.

import Checksum
import Foundation
import POSIX
import SerialPorts

/// The user's folder for the sockets of served boards, which no other user may enter.
package struct RuntimeFolder {
    package let path: String

    /// Makes the folder if it is not there. It is `haptic-bridge` in `XDG_RUNTIME_DIR`, or else in
    /// `/run/user/UID`, where either is a folder of this user, or else `haptic-bridge-UID` in the folder
    /// for temporary files.
    ///
    /// - Throws: `Refusal` if the folder belongs to another user or is open to others.
    package init(_ variables: [String: String] = HostProgram.current.environment) throws(Refusal) {
        path = Self.place(variables)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Refusal(description: "\(path): cannot be made: \(errorText(errno))")
        }
        try check()
    }

    /// The folder as it is, which nothing is made for; nil if there is none that is safe.
    package static var present: RuntimeFolder? {
        let folder = RuntimeFolder(path: place())
        return (try? folder.check()) == nil ? nil : folder
    }

    private init(path: String) { self.path = path }

    /// The reason why there can be no socket in the folder; nil if there can. Nothing is made.
    package static var obstacle: String? {
        let folder = RuntimeFolder(path: place())
        let parent = folder.path.lastIndex(of: "/").map { String(folder.path[..<$0]) } ?? "."
        let isThere = access(folder.path, F_OK) == 0
        if isThere {
            do throws(Refusal) { try folder.check() } catch { return error.description }
        }
        guard access(isThere ? folder.path : parent, W_OK | X_OK) != 0 else { return nil }
        return "\(folder.path): cannot be \(isThere ? "written to" : "made"): \(errorText(errno))"
    }

    private func check() throws(Refusal) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Refusal(description: "\(path): not a folder; delete it")
        }
        guard Self.isPrivate(owner: status.st_uid, mode: status.st_mode, for: geteuid()) else {
            throw Refusal(
                description: "\(path): belongs to another user, or others may enter it; "
                    + "`chmod 700` it, or delete it")
        }
    }

    /// Returns the path of the folder, whether or not it is there.
    package static func place(
        _ variables: [String: String] = HostProgram.current.environment
    ) -> String {
        let user = geteuid()
        let places = [variables["XDG_RUNTIME_DIR"], "/run/user/\(user)"].compactMap(\.self)
        // A root shell may have the variable of the user who opened it.
        let own = places.first { place in
            var status = stat()
            return place.hasPrefix("/") && place.utf8.count <= placeMax
                && stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
                && status.st_uid == user
        }
        return own.map { $0 + "/haptic-bridge" }
            ?? NSTemporaryDirectory() + "haptic-bridge-\(user)"
    }

    /// The greatest length of a path to a socket, in bytes: macOS has room for one more.
    private static let socketMax = 102
    /// The greatest length of a folder in which the shortest path to a socket has room.
    private static let placeMax = socketMax - "/haptic-bridge/".utf8.count - hashLength
    private static let hashLength = 16

    /// An error that is thrown for a folder in which no socket is safe.
    package struct Refusal: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Returns whether only `user` may enter a folder.
    package static func isPrivate(owner: uid_t, mode: mode_t, for user: uid_t) -> Bool {
        owner == user && mode & 0o077 == 0
    }

    /// Returns the path of the socket of the board at a port. Its name is that of the port's real
    /// path, with `+` for each `/`, or the beginning of its hash if that is too long.
    package func socket(ofPort port: String) -> String {
        let real = BoardIdentity.realPort(port)
        let name = real.dropFirst().replacingOccurrences(of: "/", with: "+")
        let whole = path + "/" + name
        guard whole.utf8.count > Self.socketMax else { return whole }
        return path + "/" + SHA256.hash(name.utf8).hexadecimal.prefix(Self.hashLength)
    }
}
