// StudioService+Files: opens and saves files, and handles changes by other programs.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import LocalServers
import SerialPorts
import ToolSupport

extension StudioService {
    /// The text of a new pattern.
    private static let empty = Array("{\n  \"Version\": 1.0,\n  \"Pattern\": []\n}\n".utf8)

    func sendState(to page: PageConnection) {
        page.send(StudioMessages.hello(folder, open: open?.name).text)
        page.send(boardMessage().text)
        page.send(measurementMessage().text)
        guard let open else { return }
        page.send(StudioMessages.document(open, analysis, cause: .open))
        for text in analysisMessages() { page.send(text) }
        if let notice = noticeOfKept(open) { page.send(notice.text) }
    }

    /// Opens a file. If the unsaved text of the current document cannot be stored and `mayLose` is
    /// false, throws `ToolError` and does not close the current document.
    func openFile(_ name: String, mayLose: Bool) throws {
        try switchDocument(to: try StudioFile(name, in: folder), mayLose: mayLose)
    }

    /// Stores the unsaved text of the current document, and then switches to another document.
    private func switchDocument(to file: StudioFile, mayLose: Bool) throws(ToolError) {
        var kept: String?
        do throws(ToolError) {
            kept = try keepUnsaved()
        } catch {
            if !mayLose { throw error }
            output.remark(error)
        }
        open = file
        comparison = StudioComparison()
        show(.open)
        // Pages clear their notices when the document changes, so the notices are sent after the
        // document.
        if let notice = noticeOfKept(file) { send(notice) }
        if let kept { send(StudioMessages.error(StudioError(kept))) }
    }

    func make(_ name: String, mayLose: Bool) throws {
        _ = try freePath(of: name)
        try switchDocument(to: StudioFile(new: name, Self.empty), mayLose: mayLose)
    }

    // MARK: Saving

    func save() throws {
        var file = try opened()
        guard !file.isReadOnly else {
            throw ToolError(
                .cannotCreate, "\(file.name): cannot be written",
                advice: "save the pattern under another name")
        }
        if folder.contains(file.name) {
            guard let bytes = try? folder.contents(of: file.name) else {
                let event = file.saved == nil ? "created" : "changed"
                throw ToolError(
                    .cannotCreate,
                    "\(file.name): was \(event) by another program, and cannot be read",
                    advice: "save the pattern under another name")
            }
            if bytes != file.saved, bytes != file.document.bytes {
                return sendConflict(bytes)
            }
        }
        try write(&file)
    }

    private func write(_ file: inout StudioFile) throws {
        if folder.contains(file.name) {
            try folder.write(file.document.bytes, to: file.name)
        } else {
            try folder.make(file.name, with: file.document.bytes)
        }
        file.saved = file.document.bytes
        file.document.markSaved()
        open = file
        send(StudioMessages.document(file, analysis, cause: .save, isWhole: false))
        sendFiles()
    }

    func saveAs(_ name: String) throws {
        var file = try opened()
        if name == file.name, !file.isReadOnly { return try save() }
        _ = try freePath(of: name)
        file.name = name
        file.isReadOnly = false
        try write(&file)
    }

    func rename(_ name: String, to other: String) throws {
        let (from, to) = (try folder.path(of: name), try freePath(of: other))
        guard !folder.contains(name) || folder.isFile(name) else {
            throw ToolError(
                .cannotCreate,
                "\(name): cannot be renamed, because it is a folder, a pipe or a device",
                advice: "rename it outside the studio")
        }
        guard Foundation.rename(from, to) == 0 else { throw failure(name, "renamed") }
        if open?.name == name {
            open?.name = other
            open?.isReadOnly = folder.isReadOnly(other)
            send(StudioMessages.document(open!, analysis, cause: .rename, isWhole: false))
        }
        sendFiles()
    }

    func delete(_ name: String) throws {
        guard unlink(try folder.path(of: name)) == 0 else { throw failure(name, "deleted") }
        if open?.name == name { close() }
        sendFiles()
    }

    /// Closes the document after its file was deleted.
    private func close() {
        player.rest()
        (open, analysis) = (nil, nil)
        forgetMeasurement()
        comparison = StudioComparison()
        send(StudioMessages.Closed())
    }

    /// Returns the path for a new file. Throws `ToolError` if the file exists.
    private func freePath(of name: String) throws(ToolError) -> String {
        let path = try folder.path(of: name)
        guard !folder.contains(name) else {
            throw ToolError(
                .cannotCreate, "\(name): already exists", advice: "choose another name")
        }
        return path
    }

    private func failure(_ name: String, _ verb: String) -> ToolError {
        ToolError(
            .cannotCreate, "\(name): cannot be \(verb): \(String(cString: strerror(errno)))",
            advice: "`ls -l` shows who may change the folder")
    }

    func sendFiles() { send(StudioMessages.Files(files: folder.files)) }

    // MARK: Changes by other programs

    /// Handles files in the folder that have changed.
    func handleChanges(of changed: Set<String>) {
        if changed.contains(where: StudioFolder.isShown) { sendFiles() }
        guard let file = open, !file.isReadOnly, changed.contains(file.name) else { return }
        doubtfulSince = nil
        guard folder.contains(file.name) else { return handleLoss(.lost) }
        guard let bytes = try? folder.read(file.name) else {
            // The other program may still be writing the file.
            doubtfulSince = Link.now()
            return
        }
        guard bytes != file.saved else { return }
        guard bytes != file.document.bytes else {
            open?.saved = bytes
            open?.document.markSaved()
            return send(StudioMessages.document(open!, analysis, cause: .save, isWhole: false))
        }
        if file.isSaved { loadFromDisk(bytes) } else { sendConflict(bytes) }
    }

    /// Handles a file that another program has left empty or unreadable for some time. The file is
    /// not changed.
    func settleDoubt(at now: HostTime) {
        guard let since = doubtfulSince, now - since >= Self.doubt else { return }
        doubtfulSince = nil
        guard let file = open, !file.isReadOnly else { return }
        switch try? folder.contents(of: file.name) {
        case nil: handleLoss(.unreadable)
        case []? where file.isSaved: handleLoss(.emptied, leaving: [])
        case []? where file.saved != []: sendConflict([])
        default: break
        }
    }

    /// Handles a file that no longer contains the text of the document. Sends the reason to the
    /// pages.
    ///
    /// - Parameter bytes: the current contents of the file; nil if there is no readable file.
    private func handleLoss(_ cause: StudioMessages.Cause, leaving bytes: [UInt8]? = nil) {
        guard open?.saved != nil else { return }
        open?.saved = bytes
        open?.document.markSaved(false)
        send(StudioMessages.document(open!, analysis, cause: cause, isWhole: false))
    }

    private func loadFromDisk(_ bytes: [UInt8]) {
        guard var file = open else { return }
        let before = file.document.pattern
        file.document.replace(with: bytes)
        file.document.markSaved()
        (file.saved, file.author) = (bytes, nil)
        open = file
        show(.disk)
        guard let before, let pattern = file.document.pattern,
            let change = pattern.firstChange(since: before)
        else { return }
        let range = ChangedRange(start: change, end: change, isTap: false)
        try? withBoard { try player.play(edited: pattern, changed: range, isLive: false) }
    }

    private func sendConflict(_ bytes: [UInt8]) {
        send(
            StudioMessages.Conflict(
                file: open?.name ?? "", text: String(decoding: bytes, as: UTF8.self)))
    }

    /// Replaces the document with the text of the file. The page names the file, because another
    /// page may have opened a different file.
    func reload(_ name: String) throws {
        loadFromDisk(try folder.contents(of: opened(name).name))
    }

    /// Overwrites the file that the page names with the text of the document. The file must be
    /// open.
    func keep(_ name: String) throws {
        var file = try opened(name)
        try write(&file)
    }

    private func opened(_ name: String) throws(StudioError) -> StudioFile {
        let file = try opened()
        guard file.name == name else {
            throw StudioError(
                "\(name) is no longer open: nothing was changed", advice: "open the file again")
        }
        return file
    }

    // MARK: Unsaved text

    /// Stores unsaved text in the folder of the file or, if that folder cannot be used, in the
    /// state folder of the user. Returns a message with the location; nil if there is no unsaved
    /// text. Throws `ToolError` if the text can be stored in neither folder.
    func keepUnsaved() throws(ToolError) -> String? {
        guard let file = open, !file.isSaved || isMissing(file),
            ![[], Self.empty].contains(file.document.bytes)
        else { return nil }
        let path: String
        do throws(ToolError) {
            path = try folder.keep(file.document.bytes, of: file.name)
        } catch {
            let state = Self.unsavedFolder
            do throws(ToolError) {
                try state.makeIfMissing()
                path = try state.path + "/" + state.keep(file.document.bytes, of: file.name)
            } catch _ {
                throw ToolError(
                    .cannotCreate,
                    "\(file.name): not saved, and the text cannot be kept: \(error.message)",
                    advice: "free some space, or save the pattern under another name")
            }
        }
        let text = "\(file.name): not saved; the text is kept as \(path)"
        output.remark(text)
        return text
    }

    /// The state folder of the user, for text that cannot be stored in the folder of its file.
    private static var unsavedFolder: StudioFolder {
        StudioFolder(path: RememberedBoards.folder + "/unsaved")
    }

    /// Returns true if the file of a document is currently missing or empty.
    private func isMissing(_ file: StudioFile) -> Bool {
        guard !file.isReadOnly else { return false }
        let bytes = try? folder.contents(of: file.name)
        return bytes?.isEmpty ?? true
    }

    /// Returns a message about earlier unsaved text of a file; nil if no such text is stored.
    private func noticeOfKept(_ file: StudioFile) -> StudioMessages.Problem? {
        let state = Self.unsavedFolder
        let elsewhere = state.unsaved(of: file.name).map { state.path + "/" + $0 }
        let names = folder.unsaved(of: file.name)
        guard !(names + elsewhere).isEmpty else { return nil }
        let advice =
            "open the unsaved text from the library and save it under a new name, or delete it"
        let movingAdvice = "; first move text from another folder to the folder of the studio"
        return StudioMessages.error(
            StudioError(
                "earlier unsaved text of \(file.name) is kept as "
                    + (names + elsewhere).joined(separator: ", "),
                advice: elsewhere.isEmpty ? advice : advice + movingAdvice))
    }
}
