// SocketEnd: the board's end of a local socket.

import BridgeLink
import POSIX
import SerialPorts

/// A local socket with a path. One host at a time can connect to the socket.
package final class SocketEnd: BoardTerminal {
    private let path: String
    private let listener: Int32
    /// The connection to the host; -1 if no host is connected.
    private var host: Int32 = -1
    /// The number of hosts that have connected since the socket was created.
    package private(set) var hostCount = 0

    private static let readMax = 4096

    /// - Parameter path: the path of the socket. The path must not exist yet, and is removed when
    ///   the socket is closed.
    package init(path: String) throws(BoardTerminalError) {
        self.path = path
        listener = LocalAddress.makeSocket()
        guard listener >= 0, LocalAddress.with(path, { bind(listener, $0, $1) }) == 0,
            listen(listener, 8) == 0
        else { throw BoardTerminalError(operation: "listening at \(path)", code: errno) }
    }

    deinit {
        close()
        systemClose(listener)
        unlink(path)
    }

    package var isOpen: Bool {
        acceptHost()
        return host >= 0
    }

    package func wait(until deadline: HostTime) {
        acceptHost()
        let descriptor = host >= 0 ? host : listener
        var requests = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        _ = hostClock.poll(&requests, until: deadline)
    }

    package func read() -> [UInt8] {
        acceptHost()
        guard host >= 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Self.readMax)
        let count = recv(host, &bytes, bytes.count, 0)
        if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { close() }
        return Array(bytes.prefix(max(0, count)))
    }

    package func write(_ bytes: [UInt8]) {
        guard host >= 0, !bytes.isEmpty else { return }
        _ = LocalAddress.send(bytes, to: host)
    }

    /// Accepts the next host if the previous host has disconnected.
    private func acceptHost() {
        guard host < 0 else { return }
        host = accept(listener, nil, nil)
        guard host >= 0 else { return }
        LocalAddress.prepare(host)
        hostCount += 1
    }

    private func close() {
        if host >= 0 { systemClose(host) }
        host = -1
    }
}
