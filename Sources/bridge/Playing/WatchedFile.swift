// WatchedFile: a file that is edited, and the last pattern in it that could be read.

import AHAP
import BridgeLink
import HapticPatterns
import POSIX
import SerialPorts

/// Reads a file whenever it is saved.
final class WatchedFile {
    /// The result of a save.
    enum Save {
        /// There is a pattern, which has changed at a time of it; nil if it has not, or is the first.
        case read(AHAPReader.Result, changedAt: Microseconds?)
        /// The file cannot be read, or not as a pattern.
        case refused(ToolError)
    }

    let path: String
    private let watch: FileWatch
    private let reading: ReadingOptions
    /// The last pattern that could be read.
    private(set) var last: AHAPReader.Result?
    /// The last refusal, which is not repeated.
    private var refusal: String?

    /// The time for which a file that cannot be read may still be in the middle of a save, in
    /// microseconds.
    private static let patience: Microseconds = 30_000
    /// The time after which a missing file counts as deleted, in microseconds.
    private static let absence: Microseconds = 300_000

    /// Throws `ToolError` for a file that is not there.
    init(_ path: String, _ reading: ReadingOptions) throws(ToolError) {
        (self.path, self.reading) = (path, reading)
        watch = try FileWatch(path)
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ToolError(
                .noInput, "\(path): no such file", advice: "--watch plays a file that exists")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw ToolError(
                .noInput, "\(path): is a directory, not a file", advice: "--watch plays one file")
        }
    }

    /// Waits for a save. Returns nil at the time-out, at a signal, or if nothing of it is new.
    func nextSave(within timeout: Microseconds, orFor wakeUp: WakeUp) -> Save? {
        guard !watch.changes(within: timeout, orFor: wakeUp).isEmpty else { return nil }
        return read()
    }

    /// Reads the file, and waits for the rest of a save that seems to be incomplete.
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
                .badData, "\(path): a compiled file, of which nothing can be edited",
                advice: "watch the file that it was compiled from")
        }
        return try file.readPattern(reading).0
    }
}
