// Files of other authors that tests read in place; they are not part of this repository.

import AHAP
import Foundation
import HapticPatterns

/// The folder of real AHAP files and of the public JSON suite.
public enum SharedFiles {
    /// The folder that `HAPTIC_BRIDGE_SHARED` names, or `shared` beside the package.
    public static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["HAPTIC_BRIDGE_SHARED"] {
            return URL(fileURLWithPath: path)
        }
        return PackageFolder.url.deletingLastPathComponent()
            .appendingPathComponent("shared")
    }()

    /// Returns the names, without extension, of the files in a subfolder that is named like their
    /// extension.
    public static func names(in subfolder: String) -> [String] {
        let path = folder.appendingPathComponent(subfolder).path
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix("." + subfolder) }
            .map { String($0.dropLast(subfolder.count + 1)) }.sorted()
    }

    /// The names of the real AHAP files; empty if the folder does not exist.
    public static let ahap = names(in: "ahap")
    /// The names of the files of the JSON suite; empty if the folder does not exist.
    public static let json = names(in: "json")

    /// Returns the pattern of a real file; nil if the file is refused.
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
