// RuntimeFolder: where the sockets of boards are that programs of the user serve.

import Foundation
import POSIX
import SerialPorts

/// The user's folder for the sockets of served boards, which no other user may enter.
struct RuntimeFolder {
    let path: String

    /// Makes the folder if it is not there: `haptic-bridge` in `XDG_RUNTIME_DIR`, or else
    /// `haptic-bridge-UID` in the folder for temporary files.
    ///
    /// - Throws: `Refusal` if the folder belongs to another user or is open to others.
    init(_ variables: [String: String] = HostProgram.current.environment) throws(Refusal) {
        let user = geteuid()
        let runtime = variables["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        path =
            runtime.map { $0 + "/haptic-bridge" }
            ?? NSTemporaryDirectory() + "haptic-bridge-\(user)"
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Refusal(description: "\(path): cannot be made: \(errorText(errno))")
        }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Refusal(description: "\(path): not a folder; delete it")
        }
        guard Self.isPrivate(owner: status.st_uid, mode: status.st_mode, for: user) else {
            throw Refusal(
                description: "\(path): belongs to another user, or others may enter it; "
                    + "`chmod 700` it, or delete it")
        }
    }

    /// An error that is thrown for a folder in which no socket is safe.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether only `user` may enter a folder.
    static func isPrivate(owner: uid_t, mode: mode_t, for user: uid_t) -> Bool {
        owner == user && mode & 0o077 == 0
    }

    /// Returns the path of the socket of the board at a port. Its name is that of the port's real
    /// path, with `+` for each `/`.
    func socket(ofPort port: String) -> String {
        let real = HapticDevice.Identity.realPort(port)
        return path + "/" + real.dropFirst().replacingOccurrences(of: "/", with: "+")
    }
}
