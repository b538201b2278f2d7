// StudioPage: the files of the page, and the browser that shows it.

import CToolFiles
import Foundation

/// The page of the studio.
enum StudioPage {
    /// The files by their names.
    static let files: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<studio_page_count()).map {
            let file = studio_page_file($0)
            return (
                String(cString: file.name),
                [UInt8](UnsafeBufferPointer(start: file.bytes, count: file.count))
            )
        })

    #if os(macOS)
        private static let opener = "open"
    #else
        private static let opener = "xdg-open"
    #endif

    /// Returns what the browser opens to come to an address. Other users can read it in the list of
    /// processes: on Linux the server does not let them in, and on macOS it is a file that only this
    /// user can read, which leads to the address.
    private static func place(of url: String) -> String {
        #if os(macOS)
            let file = NSTemporaryDirectory() + "haptic-bridge-studio.html"
            let page = Data("<meta http-equiv=\"refresh\" content=\"0;url=\(url)\">".utf8)
            try? FileManager.default.removeItem(atPath: file)
            let isMade = FileManager.default.createFile(
                atPath: file, contents: page, attributes: [.posixPermissions: 0o600])
            return isMade ? file : url
        #else
            return url
        #endif
    }

    /// Opens an address in the user's browser. Returns false if there is no program for that.
    static func open(_ url: String) -> Bool {
        guard let program = InstalledProgram.find(opener) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [place(of: url)]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return (try? process.run()) != nil
    }
}
