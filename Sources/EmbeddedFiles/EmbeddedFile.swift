// EmbeddedFile: the files that are compiled into the library by CEmbeddedFiles.

import CEmbeddedFiles

/// A file that is part of the library.
package enum EmbeddedFile {
    /// Returns the contents of the file with a name, such as "feedback/success.ahap". The name must be
    /// that of a file.
    package static func bytes(_ name: String) -> [UInt8] {
        let file = embedded_file(name)
        guard let start = file.bytes else { preconditionFailure("there is no file \(name)") }
        return Array(UnsafeBufferPointer(start: start, count: file.count))
    }
}
