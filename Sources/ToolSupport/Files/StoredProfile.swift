// StoredProfile: the profiles that `bridge fit` stores for the user, by their names.

import HapticBridge
import HapticCompiler
import POSIX
import SerialPorts

/// A profile that the user has stored: a JSON file in a folder next to the user's settings.
package struct StoredProfile {
    /// The name, or the path of a file that is not in the folder.
    private let name: String
    /// The path of the file in the folder.
    package var path: String { "\(Self.folder)/\(name).json" }

    /// The folder: `haptic-bridge/profiles` in `XDG_CONFIG_HOME`, otherwise in `~/.config`.
    private static var folder: String {
        HostProgram.current.folder("XDG_CONFIG_HOME", or: ".config") + "/profiles"
    }

    /// The names of the profiles in the folder, sorted.
    static var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
            .filter { StoredProfile($0).isValid }.sorted()
    }

    package init(_ name: String) { self.name = name }

    /// True if the name can be used for a new profile.
    package var isValid: Bool {
        DeviceProfile.named(name) == nil && name != "board" && 1...64 ~= name.count
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }

    /// The path of the file in the folder if the file exists, otherwise the name as a path.
    var existingPath: String {
        isValid && SystemFile.bytes(of: path, limit: 1) != nil ? path : name
    }

    /// A size in bytes that no profile exceeds.
    private static let mostBytes = 8_192

    /// Checks that the file can be written, and creates the folder if necessary. Throws the error that
    /// ``write(_:)`` would throw.
    package func checkIsWritable() throws(ToolError) {
        createFolder()
        try OutputFile.checkIsWritable(path, Self.mostBytes)
    }

    /// Writes the file, and creates the folder if necessary.
    package func write(_ bytes: [UInt8]) throws(ToolError) {
        createFolder()
        try OutputFile.write(bytes, to: path)
    }

    private func createFolder() {
        // A failure is reported when the file is written.
        try? FileManager.default.createDirectory(
            atPath: Self.folder, withIntermediateDirectories: true)
    }
}
