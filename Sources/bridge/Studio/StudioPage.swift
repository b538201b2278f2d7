// StudioPage: the files of the page, and the browser that shows it.

import Foundation

/// The page of the studio.
enum StudioPage {
    /// The files by their names.
    static let files: [String: [UInt8]] = [
        "index.html": PackageResources.index_html, "studio.css": PackageResources.studio_css,
        "studio.js": PackageResources.studio_js, "model.js": PackageResources.model_js,
        "socket.js": PackageResources.socket_js, "timeline.js": PackageResources.timeline_js,
        "list.js": PackageResources.list_js, "editing.js": PackageResources.editing_js,
        "library.js": PackageResources.library_js, "abx.js": PackageResources.abx_js,
        "keys.js": PackageResources.keys_js, "record.js": PackageResources.record_js,
        "view.js": PackageResources.view_js, "drawing.js": PackageResources.drawing_js,
        "gestures.js": PackageResources.gestures_js, "player.js": PackageResources.player_js,
        "dialogs.js": PackageResources.dialogs_js, "clipboard.js": PackageResources.clipboard_js,
    ]

    #if os(macOS)
        private static let opener = "open"
    #else
        private static let opener = "xdg-open"
    #endif

    /// Opens an address in the user's browser. Returns false if there is no program for that.
    static func open(_ url: String) -> Bool {
        guard let program = InstalledProgram.find(opener) else { return false }
        let process = Process()
        process.executableURL = program
        process.arguments = [url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return (try? process.run()) != nil
    }
}
