// StudioFile: the document that is open, and the file that it is of.

import PatternEditing

/// A document with its name.
struct StudioFile {
    /// A number that no other document of the process has.
    let number = UInt64.random(in: 0 ... .max)
    /// The name of the file in the folder, or of a named pattern.
    var name: String
    var document: StudioDocument
    /// True if it cannot be written under this name.
    var isReadOnly: Bool
    /// The bytes that the file has, as far as they are known; nil if there is no file.
    var saved: [UInt8]?
    /// The page that has made all changes since a revision, which may be ahead of what it was told.
    var author: (page: Int, since: Int)?

    /// Opens a file of a folder, or a named pattern if there is no such file. A text that is kept can be saved
    /// under another name only. Throws `ToolError`.
    init(_ name: String, in folder: StudioFolder) throws(ToolError) {
        self.name = name
        if !folder.contains(name), let pattern = NamedPattern(name) {
            document = StudioDocument(pattern.file)
            isReadOnly = true
            return
        }
        let bytes = try folder.read(name)
        document = StudioDocument(bytes)
        saved = bytes
        isReadOnly = folder.isReadOnly(name)
    }

    /// Makes a document of a text that is in no file yet.
    init(new name: String, _ bytes: [UInt8]) {
        self.name = name
        document = StudioDocument(bytes)
        document.markSaved(false)
        isReadOnly = false
    }

    /// True if the file has the text of the document.
    var isSaved: Bool { document.isSaved }

    /// Returns whether an edit that a page has made on a revision may be made on the present one: nobody
    /// else has changed the document since.
    func accepts(editOn revision: Int, of page: Int) -> Bool {
        if revision == document.revision { return true }
        guard let author, author.page == page else { return false }
        return author.since <= revision && revision <= document.revision
    }

    /// Notes that a page has made the last change, on a revision.
    mutating func note(author page: Int, since revision: Int) {
        if author?.page != page { author = (page, revision) }
    }
}
