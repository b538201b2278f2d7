// BoardEnd: the board's end of a pseudo-terminal, which a test controls.

import POSIX

/// The board's end of a pseudo-terminal.
public final class BoardEnd {
    public let descriptor: Int32
    /// The path of the host's end of the pseudo-terminal.
    public let path: String

    public init() {
        var (board, host) = (Int32(-1), Int32(-1))
        var name = [CChar](repeating: 0, count: 128)
        precondition(
            openpty(&board, &host, &name, nil, nil) == 0, "pseudo-terminals are not available")
        close(host)
        descriptor = board
        path = String(decoding: name.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
    }

    deinit { close(descriptor) }

    /// Writes bytes. Writes bytes. Returns true if the terminal accepts all of them.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        POSIX.write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// Waits for `count` bytes, and returns them. Returns fewer bytes if the host's end is closed.
    public func read(_ count: Int) -> [UInt8] {
        var found: [UInt8] = []
        while found.count < count {
            let portion = readOnce(count - found.count)
            if portion.isEmpty { break }
            found += portion
        }
        return found
    }

    /// Returns the available bytes, at most 256.
    public func readWhatIsHere() -> [UInt8] {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, 0) > 0, request.revents & Int16(POLLIN) != 0 else { return [] }
        return readOnce(256)
    }

    private func readOnce(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = POSIX.read(descriptor, &bytes, count)
        return Array(bytes.prefix(max(0, result)))
    }
}
