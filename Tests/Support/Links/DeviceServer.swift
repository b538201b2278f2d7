// DeviceServer: forwards a board's port over TCP, as ser2net does.

import BridgeLink
import Foundation
import SerialPorts

/// Forwards bytes in both directions between the port of a board and one TCP connection at a time.
/// The server runs on its own thread until `end` is called.
public final class DeviceServer: @unchecked Sendable {
    /// The path that hosts connect to.
    public let path: String
    private let listener: Int32
    private let board: any Transport
    /// The range of the delay of bytes in each direction, in microseconds. Each portion of bytes
    /// has a different delay in this range.
    private let delay: ClosedRange<Int>
    private let lock = NSLock()
    private var isOver = false
    private var generator = SeededGenerator(seed: 1)

    public init(port: String, delay: ClosedRange<Int> = 0...0) throws {
        self.delay = delay
        board = try openPort(port)
        (listener, path) = try NetworkAddress.listen(at: "0")
        Thread(block: hostClock.body { self.run() }).start()
    }

    deinit {
        board.close()
        close(listener)
    }

    /// Closes the connection, and accepts no further connections.
    public func end() {
        lock.withLock { isOver = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private var isToEnd: Bool { lock.withLock { isOver } }

    private func run() {
        while !isToEnd {
            var requests = [pollfd(fd: listener, events: Int16(POLLIN), revents: 0)]
            _ = hostClock.poll(&requests, for: 20_000)
            let client = accept(listener, nil, nil)
            guard client >= 0 else { continue }
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            #if !os(Linux)
                var on: Int32 = 1
                setsockopt(
                    client, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            #endif
            serve(client)
            close(client)
        }
    }

    /// Bytes in transit, and the time of their arrival.
    private typealias Portion = (due: HostTime, bytes: [UInt8])

    private func serve(_ client: Int32) {
        var (there, back): ([Portion], [Portion]) = ([], [])
        while !isToEnd {
            var requests = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
            _ = hostClock.poll(&requests, for: 1_000)
            guard let sent = Self.read(client),
                let answered = try? board.read(upTo: 4096, timeout: 0)
            else { return }
            add(sent, to: &there)
            add(answered, to: &back)
            pass(&there) { (try? self.board.write($0)) ?? 0 }
            pass(&back) { LocalAddress.send($0, to: client) }
        }
    }

    /// Reads the available bytes. Returns nil if the client has closed the connection.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        guard count != 0, count > 0 || errno == EAGAIN else { return nil }
        return Array(bytes.prefix(max(0, count)))
    }

    private func add(_ bytes: [UInt8], to portions: inout [Portion]) {
        guard !bytes.isEmpty else { return }
        let due = Link.now() + Microseconds(Int.random(in: delay, using: &generator))
        portions.append((max(due, portions.last?.due ?? due), bytes))
    }

    private func pass(_ portions: inout [Portion], by write: ([UInt8]) -> Int) {
        while let first = portions.first, first.due <= Link.now() {
            let count = write(first.bytes)
            guard count > 0 else { return }
            portions[0].bytes.removeFirst(count)
            if portions[0].bytes.isEmpty { portions.removeFirst() }
        }
    }
}
