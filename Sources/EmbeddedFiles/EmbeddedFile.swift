// EmbeddedFile: access to the files that CEmbeddedFiles compiles into the library.

import CEmbeddedFiles

/// A file that is part of the library.
package enum EmbeddedFile {
    /// Returns the contents of the embedded file with the given name, such as
    /// "feedback/success.ahap". A file with this name must exist.
    package static func bytes(_ name: String) -> [UInt8] {
        let file = embedded_file(name)
        guard let start = file.bytes else { preconditionFailure("there is no file \(name)") }
        return Array(UnsafeBufferPointer(start: start, count: file.count))
    }

    /// The names of all embedded files.
    package static var names: [String] {
        var names: [String] = []
        while let name = embedded_file_at(names.count).name { names.append(String(cString: name)) }
        return names
    }
}
