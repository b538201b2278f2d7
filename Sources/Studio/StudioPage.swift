// StudioPage: provides the files of the page, and opens the page in a browser.

import CToolFiles
import Foundation
import JSONText
import ToolSupport

/// The page of the studio.
package enum StudioPage {
    /// The files by name.
    package static let files: [String: [UInt8]] = Dictionary(
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

    /// Returns the URL or the file that is passed to the browser as an argument. Other users can
    /// read this argument in the list of processes. On Linux, the server closes the connections of
    /// other users, so the argument is the URL. On macOS, the argument is a file that only this
    /// user can read and that redirects to the URL.
    private static func target(of url: String) -> String {
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

    /// Opens an address in the browser of the user. Returns false if no program can open the
    /// address.
    package static func open(_ url: String) -> Bool {
        guard let program = InstalledProgram.find(opener) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [target(of: url)]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return (try? process.run()) != nil
    }
}

extension OutputOptions {
    /// Prints an address of the page.
    package func address(_ url: String, of folder: String) throws {
        try result(
            ["schema": "bridge.studio/1", "url": .string(url), "folder": .string(folder)],
            text: url)
    }
}
