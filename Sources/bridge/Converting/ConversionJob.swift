// ConversionJob: one file to convert, and the file to write.

import Foundation
import HapticFormats
import PatternFormats

/// A file, and where its conversion goes.
struct ConversionJob {
    var source: String
    var destination: String

    /// Returns the jobs for the named files and folders.
    ///
    /// A folder stands for the files in it, without those in folders in it. More than one file needs a
    /// folder to write to, which is made if it is not there.
    static func jobs(
        _ names: [String], to destination: String, format: any WritablePatternFormat
    ) throws(ToolError) -> [ConversionJob] {
        var files: [String] = []
        for name in names { files += try self.files(named: name) }
        let isSingle = files.count == 1 && names.first.map(isFolder) == false
        guard !isSingle || isFolder(destination) else {
            return [ConversionJob(source: files[0], destination: destination)]
        }
        guard destination != "-" else {
            throw ToolError(
                .usage, "several files do not fit on standard output",
                advice: "give a folder with -o")
        }
        try makeFolder(destination)
        let stems = Dictionary(grouping: files, by: stem)
        var taken: Set<String> = []
        var jobs: [ConversionJob] = []
        for file in files {
            // Files that differ in their endings only keep them in their names.
            let isAlone = stems[stem(of: file)]?.count == 1
            let name = (isAlone ? stem(of: file) : self.name(of: file)) + "." + format.fileExtension
            let path = destination + (destination.hasSuffix("/") ? "" : "/") + name
            guard taken.insert(path).inserted else {
                throw ToolError(
                    .usage, "\(file): another of the files is to become \(path) too",
                    advice: "convert them into different folders")
            }
            jobs.append(ConversionJob(source: file, destination: path))
        }
        return jobs
    }

    private static func name(of file: String) -> String {
        file == "-" ? "stdin" : URL(fileURLWithPath: file).lastPathComponent
    }

    /// Returns the name of a file without its ending.
    private static func stem(of file: String) -> String {
        URL(fileURLWithPath: name(of: file)).deletingPathExtension().lastPathComponent
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// The endings of the files in a folder that are taken for patterns.
    private static let endings = Set(PatternFormats.all.map(\.fileExtension))

    private static func files(named name: String) throws(ToolError) -> [String] {
        guard isFolder(name) else { return [name] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? []
        let files = names.sorted().filter {
            endings.contains(URL(fileURLWithPath: $0).pathExtension.lowercased())
        }
        guard !files.isEmpty else {
            throw ToolError(
                .noInput, "\(name): no pattern files in this folder",
                advice: "files are taken that end in \(endings.sorted().joined(separator: ", "))")
        }
        return files.map { name + (name.hasSuffix("/") ? "" : "/") + $0 }
    }

    private static func makeFolder(_ path: String) throws(ToolError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ToolError(
                .cannotCreate, "\(path): the folder cannot be made",
                advice: "choose another one with -o")
        }
    }
}
