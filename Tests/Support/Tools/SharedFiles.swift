// Files by other authors, which are not part of this repository. Tests read them from a separate
// folder.

import AHAP
import Foundation
import HapticPatterns

/// The folder of the real AHAP files and of the public JSON test suite.
public enum SharedFiles {
    /// The folder named by `HAPTIC_BRIDGE_SHARED`, or `shared` next to the package folder.
    public static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SHARED"] {
            return URL(fileURLWithPath: path)
        }
        return PackageFolder.url.deletingLastPathComponent()
            .appendingPathComponent("shared")
    }()

    /// Returns the names of the files in a subfolder, without the extension. The subfolder has the
    /// name of the extension.
    public static func names(in subfolder: String) -> [String] {
        let path = folder.appendingPathComponent(subfolder).path
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix("." + subfolder) }
            .map { String($0.dropLast(subfolder.count + 1)) }.sorted()
    }

    /// The names of the real AHAP files. The list is empty if the folder does not exist.
    public static let ahap = names(in: "ahap")
    /// The names of the files of the JSON test suite. The list is empty if the folder does not
    /// exist.
    public static let json = names(in: "json")

    /// Returns the pattern of a real file, or nil if the file is rejected.
    public static func pattern(_ name: String) throws -> HapticPattern? {
        try? AHAPReader.read(
            bytes(name, in: "ahap"), options: .init(curveTimes: .automatic)
        ).pattern
    }

    /// Returns the contents of a file.
    public static func bytes(_ name: String, in subfolder: String) throws -> [UInt8] {
        let file = folder.appendingPathComponent(subfolder)
            .appendingPathComponent("\(name).\(subfolder)")
        return [UInt8](try Data(contentsOf: file))
    }
}
