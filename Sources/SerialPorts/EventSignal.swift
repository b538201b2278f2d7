// EventSignal: a signal with which one thread ends another thread's wait for a transport.

import BridgeLink
import CSerialPort
import POSIX

/// A signal that immediately ends a transport's wait for bytes, from any thread.
///
/// The signal is sent through a pipe that is polled in addition to the port. A signal that is sent
/// before the wait begins also ends the wait, so that no signal is lost.
public final class EventSignal: Sendable {
    private let readEnd: Int32
    private let writeEnd: Int32

    /// Creates the pipe. Throws `failed` if the process has no file descriptors left.
    public init() throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        guard makePipe(&ends) == 0 else {
            throw .failed(path: "pipe", operation: "creating a wake-up signal", code: errno)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        systemClose(readEnd)
        systemClose(writeEnd)
    }

    /// Ends the current wait. If no thread is waiting, the signal ends the next wait.
    public func signal() {
        var byte: UInt8 = 1
        // If the pipe is full, it already contains a signal.
        _ = systemWrite(writeEnd, &byte, 1)
    }

    /// Waits up to `timeout` microseconds for the signal, without a transport. Returns whether the
    /// signal was sent.
    @discardableResult
    public func wait(timeout: Microseconds) -> Bool {
        var requests = [request]
        guard hostClock.poll(&requests, for: timeout) > 0 else { return false }
        drain()
        return true
    }

    /// The `poll` request that waits for the signal.
    package var request: pollfd { pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0) }

    /// Removes all signals that have been sent, so that these signals do not end a later wait.
    package func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while systemRead(readEnd, &bytes, bytes.count) == bytes.count {}
    }
}

/// Creates a non-blocking pipe that child processes do not inherit. Returns 0 on success; -1, with
/// `errno` set, if an error occurs.
private func makePipe(_ ends: inout [Int32]) -> Int32 {
    #if os(Linux)
        return pipe2(&ends, O_NONBLOCK | O_CLOEXEC)
    #else
        guard pipe(&ends) == 0 else { return -1 }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return 0
    #endif
}
