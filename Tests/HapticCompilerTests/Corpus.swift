// Real AHAP files of other people, read where they lie. They are not part of this repository.

import AHAP
import Foundation

/// The folder of real files, where there is one.
enum Corpus {
    /// The folder that `HAPTIC_BRIDGE_SHARED` names, or `../shared` beside the package.
    static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["HAPTIC_BRIDGE_SHARED"] {
            return URL(fileURLWithPath: path).appendingPathComponent("ahap")
        }
        let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return package.deletingLastPathComponent().appendingPathComponent("shared/ahap")
    }()

    /// The names of all files, sorted.
    static let names: [String] = {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { $0.hasSuffix(".ahap") }.sorted()
    }()

    /// The pattern of a file; nil if it is refused.
    static func pattern(_ name: String) throws -> HapticPattern? {
        let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
        return try? AHAPReader.read(bytes).pattern
    }
}
