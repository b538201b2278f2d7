// OutputFile: writing a file that the user named, whole or not at all.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writes files.
enum OutputFile {
    /// Writes all bytes to `path`; "-" is standard output, if that is no terminal.
    static func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
        if path == "-" { return try writeToStandardOutput(bytes) }
        // Beside the file, then moved over it: a failure leaves what was there before.
        let draft = isRegularOrNew(path) ? "\(path).\(getpid()).part" : path
        guard let file = fopen(draft, "w") else { throw failure(path, errno) }
        let written = fwrite(bytes, 1, bytes.count, file)
        let code = errno
        let isClosed = fclose(file) == 0
        guard written == bytes.count, isClosed else {
            if draft != path { unlink(draft) }
            throw failure(path, code)
        }
        guard draft == path || rename(draft, path) == 0 else { throw failure(path, errno) }
    }

    private static func writeToStandardOutput(_ bytes: [UInt8]) throws(ToolError) {
        guard !Terminal.standardOutput.isTerminal else {
            throw ToolError(
                .cannotCreate, "standard output is a terminal, which cannot show compiled bytes",
                advice: "write to a file with -o FILE, or look at them with `bridge dump`")
        }
        try Terminal.standardOutput.write(bytes)
    }

    private static func isRegularOrNew(_ path: String) -> Bool {
        var information = stat()
        guard stat(path, &information) == 0 else { return true }
        return information.st_mode & S_IFMT == S_IFREG
    }

    private static func failure(_ path: String, _ code: Int32) -> ToolError {
        ToolError(
            .cannotCreate, "\(path): cannot be written: \(String(cString: strerror(code)))",
            advice: "name a file in a folder that exists and that you may write to")
    }
}
