// StudioFile: the open document and its file.

import ToolSupport

/// A document with its file name and state.
struct StudioFile {
    /// A number that is unique among the documents of the process.
    let number = UInt64.random(in: 0 ... .max)
    /// The name of the file in the folder, or the name of a built-in pattern.
    var name: String
    var document: StudioDocument
    /// True if the document cannot be saved under its name.
    var isReadOnly: Bool
    /// The last known contents of the file; nil if the document has no file.
    var saved: [UInt8]?
    /// The page that has made all changes since a revision. This page may have made further changes
    /// that are not acknowledged yet.
    var author: (page: Int, since: Int)?

    /// Opens a file in a folder, or a built-in pattern if there is no such file. Unsaved text in a
    /// file of its own can be saved only under another name. Throws `ToolError`.
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

    /// Creates a document from a text that has not been saved in a file.
    init(new name: String, _ bytes: [UInt8]) {
        self.name = name
        document = StudioDocument(bytes)
        document.markSaved(false)
        isReadOnly = false
    }

    /// True if the file contains the text of the document.
    var isSaved: Bool { document.isSaved }

    /// Returns true if an edit that a page made to a revision can be applied to the current
    /// revision. An older revision is accepted if only this page has changed the document after
    /// that revision.
    func accepts(editOn revision: Int, of page: Int) -> Bool {
        if revision == document.revision { return true }
        guard let author, author.page == page else { return false }
        return author.since <= revision && revision <= document.revision
    }

    /// Records that a page has made the latest change, based on the given revision.
    mutating func record(author page: Int, since revision: Int) {
        if author?.page != page { author = (page, revision) }
    }
}
