// RememberedBoards: the ports on which a board has answered, shared by all programs of the user.

import Foundation
import SerialPorts

/// The ports on which a board has answered before. A search may open these ports again.
///
/// The ports are stored in a text file. Each line contains the identity that distinguishes one port
/// from other ports (`PortDescription.identity`), or a comment that begins with `#`. To forget
/// ports, delete lines or the whole file.
public struct RememberedBoards: Sendable {
    /// The reason why the file was ignored, with its location and advice; nil if the file is valid.
    public private(set) var note: String?
    private var identities: Set<String> = []
    private let file: String

    /// The path of the user's file: `boards` in the user's state folder.
    public static var file: String { folder + "/boards" }

    /// The user's state folder: `haptic-bridge` in `XDG_STATE_HOME`, otherwise in `~/.local/state`;
    /// on macOS in `~/Library/Application Support`.
    package static var folder: String {
        #if os(macOS)
            let folder = "Library/Application Support"
        #else
            let folder = ".local/state"
        #endif
        return HostProgram.current.folder("XDG_STATE_HOME", or: folder)
    }

    private static let comment = """
        # Ports at which a board of Haptic Bridge has answered. A search opens them.
        # One port per line. Delete a line to forget its port.

        """
    /// The maximum size of the file in bytes, which is enough for several thousand ports.
    private static let sizeMax = 1 << 20

    /// Reads a file. If the file does not exist, no ports are remembered. A damaged file is ignored
    /// and reported in ``note``.
    public init(file: String = file) {
        self.file = file
        guard FileManager.default.fileExists(atPath: file) else { return }
        guard let bytes = SystemFile.bytes(of: file, limit: Self.sizeMax + 1),
            bytes.count <= Self.sizeMax,
            let text = String(bytes: bytes, encoding: .utf8)
        else {
            note = "\(file): not a readable text file, and therefore ignored; delete the file"
            return
        }
        read(text)
    }

    private mutating func read(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            guard line.hasPrefix("usb ") || line.hasPrefix("port at ") else {
                identities = []
                note =
                    "\(file):\(index + 1): \"usb …\" or \"port at …\" is expected; the file is ignored "
                    + "and replaced when a board answers"
                return
            }
            identities.insert(String(line))
        }
    }

    /// Returns whether a board has answered on a port.
    public func contains(_ port: PortDescription) -> Bool { identities.contains(port.identity) }

    /// Adds a port. The file is replaced atomically, so that no program reads an incomplete file.
    mutating func remember(_ port: PortDescription) throws {
        guard identities.insert(port.identity).inserted else { return }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let text = Self.comment + identities.sorted().joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
    }
}
