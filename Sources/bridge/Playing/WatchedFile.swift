// WatchedFile: reads a file after each save, and stores the last valid pattern.

import AHAP
import BridgeLink
import HapticPatterns
import POSIX
import SerialPorts
import ToolSupport

/// Reads a file whenever it is saved.
final class WatchedFile {
    /// The result of a save.
    enum Save {
        /// A valid pattern, with the time of its first change; the time is nil if the pattern is
        /// unchanged or the first pattern.
        case read(AHAPReader.Result, changedAt: Microseconds?)
        /// The file cannot be read, or is invalid.
        case refused(ToolError)
    }

    let path: String
    private let watch: FileWatch
    private let reading: ReadingOptions
    /// The last valid pattern.
    private(set) var last: AHAPReader.Result?
    /// The last reported error message, which is not reported again.
    private var refusal: String?

    /// The time for which an editor is assumed to be writing an invalid file, in microseconds.
    private static let patience: Microseconds = 30_000
    /// The time after which a missing file is considered deleted, in microseconds.
    private static let absence: Microseconds = 300_000

    /// Starts to watch a file. Throws `ToolError` if the file does not exist or is a folder.
    init(_ path: String, _ reading: ReadingOptions) throws(ToolError) {
        (self.path, self.reading) = (path, reading)
        watch = try FileWatch(path)
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ToolError(
                .noInput, "\(path): no such file", advice: "specify the path of an existing file")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw ToolError(
                .noInput, "\(path): a directory, not a file",
                advice: "specify the path of a single file")
        }
    }

    /// Waits for a save. Returns nil if the timeout has elapsed, if the signal was set, or if the
    /// save repeats the last error.
    func nextSave(within timeout: Microseconds, orFor eventSignal: EventSignal) -> Save? {
        guard !watch.changes(within: timeout, orFor: eventSignal).isEmpty else { return nil }
        return read()
    }

    /// Reads the file. If the file appears incomplete, waits until the save is complete.
    func read() -> Save? {
        while true {
            do {
                let result = try pattern()
                defer { (last, refusal) = (result, nil) }
                let change = last.flatMap { result.pattern.firstChange(since: $0.pattern) }
                return .read(result, changedAt: change)
            } catch {
                let patience = error.status == .noInput ? Self.absence : Self.patience
                if !watch.changes(within: patience).isEmpty, !Interruption.isRequested { continue }
                guard refusal != error.message else { return nil }
                refusal = error.message
                return .refused(error)
            }
        }
    }

    private func pattern() throws(ToolError) -> AHAPReader.Result {
        let file = try InputFile(path, mayBePipe: false)
        guard !file.bytes.starts(with: PatternFile.magic) else {
            throw ToolError(
                .badData, "\(path): a compiled file, which cannot be edited",
                advice: "watch the file from which the compiled file was made")
        }
        return try file.readPattern(reading).0
    }
}
