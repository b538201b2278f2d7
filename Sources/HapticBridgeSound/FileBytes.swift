// FileBytes: reads the bytes of a file whose name may be untrusted.

import POSIX

/// An open regular file of limited size. Pipes and devices are rejected, because reading them might
/// never end or might have side effects.
final class FileBytes {
    let count: Int
    private let descriptor: Int32

    init(_ path: String, limit: Int) throws(SoundFileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SoundFileError(path, Self.reason(errno)) }
        var status = stat()
        let result = fstat(descriptor, &status)
        count = Int(status.st_size)
        guard result == 0 else { throw SoundFileError(path, Self.reason(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SoundFileError(path, "this is a folder or a device, not a sound file")
        }
        guard count <= limit else {
            throw SoundFileError(
                path, "the file has \(count) bytes; the limit is \(limit), so shorten it")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads bytes from a position on. Returns the number of bytes read, which is less than
    /// `wanted` at the end of the file.
    func read(_ wanted: Int, from position: Int, into destination: UnsafeMutableRawPointer) -> Int {
        var count = 0
        while count < wanted {
            let taken = pread(
                descriptor, destination + count, wanted - count, off_t(position + count))
            if taken < 0, errno == EINTR { continue }
            // The file may have become shorter since it was opened.
            if taken <= 0 { break }
            count += taken
        }
        return count
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT: "there is no such sound file"
        default: String(cString: strerror(code))
        }
    }
}
