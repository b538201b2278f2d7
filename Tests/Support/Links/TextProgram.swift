// TextProgram: a child process with a line-based protocol.

import Foundation

/// A program that answers lines on its standard input with lines on its standard output.
///
/// The program is killed when its owner is released. Every read ends, even if the program crashes
/// or does not answer.
final class TextProgram {
    private let process = Process()
    private let folder = Folder()
    /// The socket for both directions. Unlike a write to a pipe, a write to the socket does not
    /// raise a signal if the program has ended.
    private let socket: Int32
    private var received: [UInt8] = []
    private var next = 0

    /// The maximum time without output before the program is considered dead, in milliseconds.
    private static let silenceLimit: Int32 = 60_000

    init(_ program: URL, _ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw CocoaError(.fileReadUnknown)
        }
        socket = ends[0]
        // Prevents other child processes from inheriting an end of the socket, which would keep
        // this end open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let far = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = far
        process.standardOutput = far
        process.standardError = try FileHandle(forWritingTo: folder.write("stderr", Data()))
        try process.run()
        try far.close()
    }

    deinit {
        close(socket)
        end()
    }

    /// Writes a line. If the program has ended, the next read detects the end.
    func write(_ line: String) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let bytes = Array((line + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                send(socket, $0.baseAddress!, $0.count, flags)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
    }

    /// Returns the next line without its terminator, or nil if the program has ended or prints
    /// nothing for a minute.
    func nextLine() -> [UInt8]? {
        var scanned = next
        while true {
            if let end = received[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { next = end + 1 }
                return Array(received[next..<end])
            }
            received.removeFirst(next)
            next = 0
            scanned = received.count
            guard readMore() else { return nil }
        }
    }

    private func readMore() -> Bool {
        var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while true {
            let ready = poll(&request, 1, Self.silenceLimit)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return false }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(socket, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            received += bytes.prefix(max(0, count))
            return count > 0
        }
    }

    /// Returns a description of how the program ended, with its standard error. Kills a program
    /// that is still running after 10 s.
    func epitaph() -> String {
        let isAlive = !wait(seconds: 10) { !process.isRunning }
        end()
        process.waitUntilExit()
        let how =
            isAlive
            ? "does not answer"
            : process.terminationReason == .exit
                ? "ended with status \(process.terminationStatus)"
                : "was ended by signal \(process.terminationStatus)"
        let errors = folder.text("stderr").trimmingCharacters(in: .whitespacesAndNewlines)
        return how + (errors.isEmpty ? "" : ": \(errors)")
    }

    /// Kills the program if it is running. The process id of a program that has not run is 0, and
    /// `kill` with 0 would kill this process and its group.
    private func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}
