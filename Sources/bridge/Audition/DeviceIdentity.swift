// DeviceIdentity: the id by which an editor knows this device again.

import EditorLinks
import Foundation
import HapticBridge

/// The id of this computer as a device of editors, which is kept in a file.
enum DeviceIdentity {
    /// The path of the file, beside that of the boards that were found.
    static var file: URL {
        URL(fileURLWithPath: RememberedBoards.file).deletingLastPathComponent()
            .appending(path: "audition")
    }

    /// Returns the device with its id, which is made at the first call. Who knows it can take the
    /// device's place, so that nobody else may read the file. Throws `ToolError`.
    static func device(version: String) throws(ToolError) -> StudioSession.Device {
        StudioSession.Device(id: try id(), name: "Haptic Bridge", version: version)
    }

    private static func id() throws(ToolError) -> String {
        if let bytes = try? Data(contentsOf: file), bytes.count < 100,
            let text = String(data: bytes, encoding: .utf8),
            let id = UUID(uuidString: text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            return id.uuidString
        }
        let id = UUID().uuidString
        let folder = file.deletingLastPathComponent()
        let files = FileManager.default
        try? files.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard
            files.createFile(
                atPath: file.path, contents: Data((id + "\n").utf8),
                attributes: [.posixPermissions: 0o600])
        else {
            throw ToolError(
                .cannotCreate, "\(file.path): cannot be written",
                advice: "the editor knows this device again by the id in it")
        }
        return id
    }
}
