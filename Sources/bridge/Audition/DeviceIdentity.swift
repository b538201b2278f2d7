// DeviceIdentity: the id by which an editor recognizes this device.

import Foundation
import HapticBridge
import ProgramProtocols
import ToolSupport

/// The persistent id by which editors recognize this computer.
enum DeviceIdentity {
    /// The path of the file, in the same folder as the file of remembered boards.
    static var file: URL {
        URL(fileURLWithPath: RememberedBoards.file).deletingLastPathComponent()
            .appending(path: "audition")
    }

    /// Returns the device with its id. The first call creates the id. Anyone who reads the id can
    /// impersonate the device, so only the user may read the file. Throws `ToolError`.
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
                advice: "the file contains the id by which the editor recognizes this device")
        }
        return id
    }
}
