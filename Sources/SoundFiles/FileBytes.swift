// FileBytes: the bytes of a file that a stranger may have named.

import POSIX

/// Reads regular files up to a size. A name may lead to a pipe or to a device, which would never end
/// or have effects.
enum FileBytes {
    static func read(_ path: String, limit: Int) throws(SoundFileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SoundFileError(path, reason(errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SoundFileError(path, reason(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SoundFileError(path, "this is not a file of sound, but a folder or a device")
        }
        let size = Int(status.st_size)
        guard size <= limit else {
            throw SoundFileError(
                path, "the file has \(size) bytes; at most \(limit) are read, so shorten it")
        }
        return try read(size, of: path, descriptor)
    }

    private static func read(
        _ size: Int, of path: String, _ descriptor: Int32
    ) throws(SoundFileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let taken = POSIX.read(descriptor, buffer.baseAddress! + count, size - count)
                if taken < 0, errno == EINTR { continue }
                if taken < 0 { failure = errno }
                // A file that has become shorter ends here.
                if taken <= 0 { return }
                count += taken
            }
        }
        guard failure == 0 else { throw SoundFileError(path, reason(failure)) }
        return bytes
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT: "there is no such sound file"
        default: String(cString: strerror(code))
        }
    }
}
