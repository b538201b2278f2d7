// RemoteKey: the secret by which a program on another computer may use a board.

import Checksum
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// A secret of 256 random bits, which a file holds as 64 hexadecimal digits. It never leaves the
/// computers that have the file: a program proves that it has the key.
package struct RemoteKey: Sendable {
    let bytes: [UInt8]

    /// The environment variable that names the file with the key of a program that connects.
    package static let variable = "BRIDGE_KEY_FILE"
    private static let length = 32
    /// The longest file that is read, in bytes: the digits and some white space.
    private static let fileMax = 256

    /// An error that is thrown for a key that cannot be used.
    package struct Refusal: Error, CustomStringConvertible {
        /// The file, what is wrong with it, and what to do.
        package let description: String
        /// True if there is no file.
        package var isMissing = false
    }

    /// The file of the user's own key: `haptic-bridge/key` beside the settings.
    package static var file: String {
        URL(fileURLWithPath: HapticSettings.file).deletingLastPathComponent()
            .appendingPathComponent("key").path
    }

    /// The file that ``variable`` names; nil if it names none.
    static var namedFile: String? {
        HostProgram.current.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads a key.
    ///
    /// - Throws: `Refusal` if others may read the file, or if it does not hold a key.
    package init(file: String) throws(Refusal) {
        func refusal(_ reason: String) -> Refusal { Refusal(description: "\(file): \(reason)") }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            var error = refusal("no key can be read here: \(errorText(code))")
            error.isMissing = code == ENOENT || code == ENOTDIR
            throw error
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw refusal("not a file with a key")
        }
        guard Self.isPrivate(owner: status.st_uid, mode: status.st_mode, for: geteuid()) else {
            throw refusal(
                "others may read this key, or it belongs to another user; `chmod 600` it")
        }
        var bytes = [UInt8](repeating: 0, count: Self.fileMax)
        let count = read(descriptor, &bytes, bytes.count)
        guard let key = Self.key(of: bytes.prefix(max(0, count))) else {
            throw refusal(
                "not a key, which is 64 hexadecimal digits; `bridge serve --tcp` makes one, or "
                    + "`openssl rand -hex 32`")
        }
        self.bytes = key
    }

    /// Reads the key of a file, and makes one there first if there is no file.
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
                throw Refusal(description: "\(file): no key can be written here")
            }
        } else if errno != EEXIST {
            throw Refusal(description: "\(file): no key can be made here: \(errorText(errno))")
        }
        try self.init(file: file)
    }

    /// Returns whether only a user, or the system's administrator for them, can read a file.
    static func isPrivate(owner: uid_t, mode: mode_t, for user: uid_t) -> Bool {
        (owner == user || owner == 0) && mode & 0o077 == 0
    }

    private static func key(of text: some Sequence<UInt8>) -> [UInt8]? {
        let digits = text.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard digits.count == 2 * length else { return nil }
        return [UInt8](hexadecimal: digits)
    }

    /// Returns bytes that nobody can predict.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
