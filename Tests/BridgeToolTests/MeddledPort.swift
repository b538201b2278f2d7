// MeddledPort: a port that loses written bytes and is slow to close.

import BridgeLink
import SerialPorts

/// The port of a board whose connection a test disturbs.
final class MeddledPort: Transport {
    private let port: LocalPort
    private var isClosed = false
    private let meddling: Meddling

    /// The disturbances of a port, and its state.
    final class Meddling: Sendable {
        /// True if written bytes are lost.
        let isDeaf = LockedValue(false)
        /// True once the port is closed, which takes a second.
        let isClosed = LockedValue(false)
    }

    var path: String { port.path }
    var eventSignal: EventSignal? {
        get { port.eventSignal }
        set { port.eventSignal = newValue }
    }

    init(path: String, _ meddling: Meddling) throws {
        port = try LocalPort(path: path)
        self.meddling = meddling
    }

    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        try port.read(upTo: count, timeout: timeout)
    }

    func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        meddling.isDeaf.withLock { $0 } ? bytes.count : try port.write(bytes)
    }

    func unsentCount() throws(TransportError) -> Int { try port.unsentCount() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        hostClock.sleep(for: 1_000_000)
        port.close()
        meddling.isClosed.withLock { $0 = true }
    }
}
