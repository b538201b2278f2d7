// FileJob: one input file and its output file.

import Foundation
import POSIX
import ToolSupport

/// An input file and its output file.
struct FileJob {
    var source: String
    var destination: String
    /// True if the user has named the input file rather than a folder that contains it.
    var isNamed = true

    /// The kind of the files that are read from a folder.
    struct Kind {
        /// The plural name, for messages.
        var name: String
        /// The file name extensions in lower case.
        var endings: Set<String>
    }

    /// Runs jobs in order. If there are several jobs, prints the error of each failed job and runs
    /// the remaining jobs.
    static func run<Job>(_ jobs: [Job], _ work: (Job) throws -> Void) throws {
        var first: ToolError?
        for job in jobs {
            do {
                try work(job)
            } catch let error as ToolError {
                guard jobs.count > 1 else { throw error }
                if !error.message.isEmpty { Terminal.standardError.write(error.text + "\n") }
                first = first ?? ToolError(error.status, "")
            }
        }
        if let first { throw first }
    }

    /// Returns the jobs for the named files and folders.
    ///
    /// A folder represents the files of the given kind that are directly inside the folder. Hidden
    /// files, such as the `._` files of macOS, are excluded. If there is more than one file, the
    /// destination is a folder, which is created if necessary.
    ///
    /// - Parameter ending: the file name extension of the output files.
    static func jobs(
        _ names: [String], of kind: Kind, to destination: String, ending: String
    ) throws(ToolError) -> [FileJob] {
        var files: [String] = []
        for name in names { files += try self.files(named: name, of: kind) }
        let isSingle = files.count == 1 && names.first.map(isFolder) == false
        guard !isSingle || isFolder(destination) else {
            return [FileJob(source: files[0], destination: destination)]
        }
        guard destination != "-" else {
            throw ToolError(
                .usage, "several files cannot be written to standard output",
                advice: "specify a folder with -o")
        }
        guard isFolder(destination) || !isNameOfFile(destination, of: kind, ending) else {
            throw ToolError(
                .usage,
                "\(destination): the name of a single file, but there are "
                    + "\(files.count.text("input file"))",
                advice: "specify a folder with -o")
        }
        try makeFolder(destination)
        let stems = Dictionary(grouping: files, by: stem)
        var taken: Set<String> = []
        var jobs: [FileJob] = []
        for file in files {
            // If the names of files differ only in their extensions, the names of the output files
            // include these extensions.
            let isAlone = stems[stem(of: file)]?.count == 1
            let name = (isAlone ? stem(of: file) : self.name(of: file)) + "." + ending
            let path = destination + (destination.hasSuffix("/") ? "" : "/") + name
            guard taken.insert(path).inserted else {
                throw ToolError(
                    .usage, "\(file): the output file \(path) is also that of another input file",
                    advice: "write the files into different folders")
            }
            try checkIsNoLink(path)
            jobs.append(
                FileJob(source: file, destination: path, isNamed: names.contains(file)))
        }
        return jobs
    }

    /// Checks that the output does not overwrite the input. Throws `ToolError`.
    func checkKeepsSource() throws(ToolError) {
        guard !Self.isSameFile(source, destination) else {
            throw ToolError(
                .usage, "\(destination): this is the input file, which would be overwritten",
                advice: "choose another name or folder with -o")
        }
    }

    /// Returns the job for a part of the input file. The name of the part is inserted before the
    /// extension of the output file. Throws `ToolError` if the output file would be a symbolic link
    /// or the input file.
    func part(named name: String) throws(ToolError) -> FileJob {
        var part = self
        part.destination = Self.path(destination, inserting: name)
        try Self.checkIsNoLink(part.destination)
        try part.checkKeepsSource()
        return part
    }

    /// Returns a path with a name inserted before the extension.
    static func path(_ path: String, inserting name: String) -> String {
        let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[folder...].lastIndex(of: ".") ?? path.endIndex
        let end = dot == folder ? path.endIndex : dot
        return "\(path[..<end])-\(name)\(path[end...])"
    }

    private static func isNameOfFile(_ path: String, of kind: Kind, _ ending: String) -> Bool {
        kind.endings.union([ending]).contains(URL(fileURLWithPath: path).pathExtension.lowercased())
    }

    private static func checkIsNoLink(_ path: String) throws(ToolError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw ToolError(
            .cannotCreate,
            "\(path): a symbolic link, which would redirect the output to another file",
            advice: "delete the link, or choose another folder with -o")
    }

    /// Returns true if two paths refer to the same file.
    private static func isSameFile(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func name(of file: String) -> String {
        file == "-" ? "stdin" : URL(fileURLWithPath: file).lastPathComponent
    }

    /// Returns the name of a file without its extension.
    private static func stem(of file: String) -> String {
        URL(fileURLWithPath: name(of: file)).deletingPathExtension().lastPathComponent
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    private static func files(
        named name: String, of kind: Kind
    ) throws(ToolError) -> [String] {
        guard isFolder(name) else { return [name] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? []
        let files = names.sorted().filter {
            !$0.hasPrefix(".")
                && kind.endings.contains(URL(fileURLWithPath: $0).pathExtension.lowercased())
        }
        guard !files.isEmpty else {
            throw ToolError(
                .noInput, "\(name): no \(kind.name) in this folder",
                advice: "the accepted file name extensions are "
                    + kind.endings.sorted().joined(separator: ", "))
        }
        return files.map { name + (name.hasSuffix("/") ? "" : "/") + $0 }
    }

    private static func makeFolder(_ path: String) throws(ToolError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ToolError(
                .cannotCreate, "\(path): the folder cannot be created",
                advice: "choose another folder with -o")
        }
    }
}
