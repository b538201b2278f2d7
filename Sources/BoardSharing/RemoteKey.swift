// RemoteKey: the secret that allows a program on another computer to use a board.

import Checksum
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// A secret of 256 random bits, stored in a file as 64 hexadecimal digits. The secret is never
/// transmitted: a program only proves that it has the key.
package struct RemoteKey: Sendable {
    let bytes: [UInt8]

    /// The environment variable that names the key file of a program that connects.
    package static let variable = "BRIDGE_KEY_FILE"
    private static let length = 32
    /// The maximum size of a key file, in bytes. The maximum includes the digits and some white
    /// space.
    private static let fileMax = 256

    /// The error for a key that cannot be used.
    package struct Refusal: Error, CustomStringConvertible {
        /// The file, the problem, and the remedy.
        package let description: String
        /// True if the file does not exist.
        package var isMissing = false
    }

    /// The file of the user's own key: `haptic-bridge/key` in the folder of the settings file.
    package static var file: String {
        URL(fileURLWithPath: HapticSettings.file).deletingLastPathComponent()
            .appendingPathComponent("key").path
    }

    /// The file that ``variable`` names; nil if the variable is not set.
    static var namedFile: String? {
        HostProgram.current.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads a key.
    ///
    /// - Throws: `Refusal` if the file cannot be read, if other users can read it, or if it does
    ///   not contain a key.
    package init(file: String) throws(Refusal) {
        func refusal(_ reason: String) -> Refusal { Refusal(description: "\(file): \(reason)") }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            var error = refusal("the key cannot be read: \(errorText(code))")
            error.isMissing = code == ENOENT || code == ENOTDIR
            throw error
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("not a regular file and therefore not a key file")
        }
        guard Self.isPrivate(owner: status.st_uid, mode: status.st_mode, for: geteuid()) else {
            throw refusal(
                "other users can read this key file, or the file belongs to another user; protect "
                    + "the file with `chmod 600`")
        }
        var bytes = [UInt8](repeating: 0, count: Self.fileMax)
        let count = read(descriptor, &bytes, bytes.count)
        guard let key = Self.key(of: bytes.prefix(max(0, count))) else {
            throw refusal(
                "not a key of 64 hexadecimal digits; create one with `bridge serve --tcp` or "
                    + "`openssl rand -hex 32`")
        }
        self.bytes = key
    }

    /// Reads the key from a file. If the file does not exist, it is created with a new key.
    package init(madeAt file: String) throws(Refusal) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            defer { close(descriptor) }
            let text = Array((Self.random(Self.length).hexadecimal + "\n").utf8)
            guard write(descriptor, text, text.count) == text.count else {
                unlink(file)
                throw Refusal(description: "\(file): the key cannot be written")
            }
        } else if errno != EEXIST {
            throw Refusal(description: "\(file): the key cannot be created: \(errorText(errno))")
        }
        try self.init(file: file)
    }

    /// Returns whether a file can be read only by a given user and the system's administrator.
    static func isPrivate(owner: uid_t, mode: mode_t, for user: uid_t) -> Bool {
        (owner == user || owner == 0) && mode & 0o077 == 0
    }

    private static func key(of text: some Sequence<UInt8>) -> [UInt8]? {
        let digits = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard digits.count == 2 * length else { return nil }
        return [UInt8](hexadecimal: digits)
    }

    /// Returns cryptographically secure random bytes.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
