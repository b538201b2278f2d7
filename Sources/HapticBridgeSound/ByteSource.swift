// ByteSource: the bytes of a file or of memory with a read position, for libsndfile.

import CSoundFile

/// The bytes of a file or of memory, with a read position.
final class ByteSource {
    let count: Int
    private let take: (_ count: Int, _ position: Int, UnsafeMutableRawPointer) -> Int
    private var position = 0

    init(_ file: FileBytes) {
        count = file.count
        take = { file.read($0, from: $1, into: $2) }
    }

    init(_ bytes: [UInt8]) {
        count = bytes.count
        take = { count, position, destination in
            bytes.withUnsafeBytes { source in
                guard count > 0, let start = source.baseAddress else { return }
                destination.copyMemory(from: start + position, byteCount: count)
            }
            return count
        }
    }

    /// The number of bytes by which a WAV or AIFF file is shorter than the length in its header; 0
    /// if the header contains no length, as in a stream.
    var missing: Int {
        let head = bytes(atMost: 8)
        guard head.count == 8 else { return 0 }
        let mark = String(decoding: head[..<4], as: UTF8.self)
        let field = head[4...].map(Int.init)
        let length: Int
        switch mark {
        case "RIFF": length = field.reversed().reduce(0) { $0 << 8 | $1 }
        case "FORM": length = field.reduce(0) { $0 << 8 | $1 }
        default: return 0
        }
        return length < 0x7FFF_FFFF ? max(0, length + 8 - count) : 0
    }

    /// Returns at most `length` bytes, beginning at a position, which must not be beyond the end.
    func bytes(from start: Int = 0, atMost length: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: min(length, count - start)) { bytes, taken in
            guard let destination = bytes.baseAddress else { return }
            taken = take(bytes.count, start, destination)
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ByteSource {
        Unmanaged<ByteSource>.fromOpaque(context!).takeUnretainedValue()
    }

    /// The functions that libsndfile calls to read a source.
    static let callbacks = SF_VIRTUAL_IO(
        get_filelen: { sf_count_t(from($0).count) },
        seek: { from($2).seek($0, from: $1) },
        read: { from($2).read(Int($1), into: $0) },
        write: { _, _, _ in 0 },
        tell: { sf_count_t(from($0).position) })

    /// Moves the position and returns the new position; -1 if that would be out of bounds.
    private func seek(_ offset: sf_count_t, from origin: Int32) -> sf_count_t {
        let start: Int
        switch origin {
        case Int32(SF_SEEK_CUR): start = position
        case Int32(SF_SEEK_END): start = count
        default: start = 0
        }
        let (target, isTooFar) = start.addingReportingOverflow(Int(offset))
        guard !isTooFar, 0...count ~= target else { return -1 }
        position = target
        return sf_count_t(target)
    }

    private func read(_ wanted: Int, into destination: UnsafeMutableRawPointer?) -> sf_count_t {
        let taken = take(min(max(0, wanted), count - position), position, destination!)
        position += taken
        return sf_count_t(taken)
    }
}
