// FileBytes: the bytes of a file that a stranger may have named.

import POSIX

/// A regular file up to a size, open for reading. A name may lead to a pipe or to a device, which would
/// never end or have effects.
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
            throw SoundFileError(path, "this is not a file of sound, but a folder or a device")
        }
        guard count <= limit else {
            throw SoundFileError(
                path, "the file has \(count) bytes; at most \(limit) are read, so shorten it")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads bytes from a position on. Returns their number, which is smaller at the end of the file.
    func read(_ wanted: Int, from position: Int, into destination: UnsafeMutableRawPointer) -> Int {
        var count = 0
        while count < wanted {
            let taken = pread(
                descriptor, destination + count, wanted - count, off_t(position + count))
            if taken < 0, errno == EINTR { continue }
            // A file that has become shorter ends here.
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
