// bridge convert: converts pattern files between formats and reports the losses.

import ArgumentParser
import HapticPatterns
import JSONText
import PatternFormats
import ToolSupport

struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Convert pattern files between formats, and report the losses.",
        discussion: """
            Reads \(PatternFormats.all.map { "\($0.name) (\($0.summary))" }.joined(separator: ", ")). \
            The format of a file is detected from its content. Writes \
            \(PatternFormats.writable.map(\.name).joined(separator: ", ")): the format that --to \
            names, or else the format that the file name extension of -o indicates, or else ahap.

            Every converted pattern is read back and compared with the original, event by event. \
            Missing events, and differences of 1 just-noticeable difference (JND) or more, are \
            reported on standard error; --verbose reports every difference. With --strict, a file \
            with such losses is not written. A folder is converted file by file into the folder \
            given by -o. If a project of Meta Haptics Studio contains several clips, each clip is \
            written to its own file, whose name ends in the name of the clip.

            Examples:
              bridge convert clip.haptic -o clip.ahap
              bridge convert --to haptic - -o - < pattern.ahap
              bridge convert --strict --json pattern.ahap -o pattern.xml
              bridge convert clips -o patterns
              bridge convert project.hasp -o project.ahap
            """)

    @Argument(help: "Files or folders, names from `bridge patterns`, or - for standard input.")
    var files: [String]

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            "The file or the folder to write, or - for standard output.", valueName: "file"))
    var destination: String

    @Option(
        help: ArgumentHelp("The format to write.", valueName: "format"),
        completion: .list(PatternFormats.writable.map(\.name)))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The conversion between amplitude and intensity in formats that contain amplitudes.",
            discussion: """
                sqrt makes the intensity the square root of the amplitude, as Meta Haptics Studio \
                does because the intensity of Core Haptics is quadratic; it is the default for all \
                formats except hjif. linear makes them equal, as the reference software of MPEG \
                does; it is the default for hjif.
                """))
    var intensityLaw: IntensityLaw?

    @Flag(help: "Write no file with missing events or differences of 1 JND or more.")
    var strict = false

    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        if output.json && destination == "-" {
            throw ValidationError("--json and -o - both write to standard output.")
        }
    }

    func run() throws {
        let format = try target()
        let jobs = try FileJob.jobs(
            files, of: Self.patterns, to: destination, ending: format.fileExtension)
        try FileJob.run(jobs) { try convert($0, to: format) }
    }

    private static let patterns = FileJob.Kind(
        name: "pattern files", endings: Set(PatternFormats.all.map(\.fileExtension)))

    /// Returns the format to write.
    private func target() throws(ToolError) -> any WritablePatternFormat {
        let name = destination.split(separator: "/").last.map(String.init) ?? ""
        let ending = name.contains(".") ? name.split(separator: ".").last.map(String.init) : nil
        let asked = to ?? ending ?? "ahap"
        let known = PatternFormats.writable.map(\.name)
        guard let format = PatternFormats.named(asked) as? any WritablePatternFormat else {
            var error = ToolError(.usage, "the format \(asked) cannot be written")
            error.advice =
                [suggestion(for: asked, among: known)].compactMap(\.self)
                + ["--to takes \(known.joined(separator: ", "))"]
            throw error
        }
        return format
    }

    private func convert(
        _ job: FileJob, to format: any WritablePatternFormat
    ) throws {
        try job.checkKeepsSource()
        let file = try InputFile(job.source, mayBePipe: job.isNamed)
        try file.checkIsNoOtherKind()
        guard !file.bytes.starts(with: PatternFile.magic) else {
            throw ToolError(
                refused: file.name, "a compiled file, which does not contain the pattern",
                advice: "use the file from which the compiled file was made; `bridge dump` lists "
                    + "the events of a compiled file")
        }
        let source = PatternFormats.format(of: file.bytes).name
        let clips: [ProjectClip]
        do throws(FormatError) {
            clips = try PatternFormats.clips(of: file.bytes) ?? []
        } catch {
            throw ToolError(error.diagnostic, in: file.name)
        }
        guard clips.count > 1 else {
            return try write(file, source, to: job.destination, format) {
                () throws(FormatError) in
                try PatternFormats.read(file.bytes, law: intensityLaw)
            }
        }
        guard job.destination != "-" else {
            throw ToolError(
                .usage,
                "\(file.name): \(clips.count) clips cannot be written to standard output",
                advice: "specify a file name with -o; the names of the clips are added to it")
        }
        try FileJob.run(Array(zip(clips, clips.fileNames))) { clip, name in
            let part = try job.part(named: name)
            try write(file, source, to: part.destination, format) { () throws(FormatError) in
                try clip.read(law: intensityLaw)
            }
        }
    }

    /// Writes a pattern that was read from a file, and reports the losses.
    ///
    /// - Parameter source: the name of the file's format. The caller passes this name, because
    ///   detecting the format takes as long as reading the whole file.
    private func write(
        _ file: InputFile, _ source: String, to destination: String,
        _ format: any WritablePatternFormat, _ pattern: () throws(FormatError) -> ReadPattern
    ) throws {
        let read: ReadPattern
        let conversion: Conversion
        do throws(FormatError) {
            read = try pattern()
            conversion = try Conversion(read, to: format, law: intensityLaw)
        } catch {
            throw ToolError(error.diagnostic, in: file.name)
        }
        let report = ConversionReport(
            file: file.name, output: destination, target: format.name,
            source: source, pattern: read.pattern, losses: conversion.losses)
        report.remark(output)
        if strict, let loss = report.noticeable.first {
            throw ToolError(
                .badData, "\(file.name): not written, because --strict refuses losses",
                advice: "the first is: \(loss.message)")
        }
        try OutputFile.write(conversion.bytes, to: destination)
        output.remark(report.summary)
        if output.json {
            try output.result(JSONWriter.text(of: report.json, layout: .compact))
        }
    }
}

extension IntensityLaw: ExpressibleByArgument {}

extension [ProjectClip] {
    /// The names of the clips, converted to distinct parts of file names.
    fileprivate var fileNames: [String] {
        var taken: Set<String> = []
        return enumerated().map { index, clip in
            let letters = clip.name.prefix(Self.nameMax).map { letter in
                letter.isLetter || letter.isNumber || letter == "-" ? letter : "_"
            }
            var name = String(letters)
            while !taken.insert(name.lowercased()).inserted { name += "-\(index + 1)" }
            return name
        }
    }

    /// The maximum number of characters of a clip's name in a file name.
    private static var nameMax: Int { 64 }
}
