// MeddledPort: a cable that loses what is written, and takes its time to be closed.

import BridgeLink
import SerialPorts

/// The port of a board whose cable a test meddles with.
final class MeddledPort: Transport {
    private let port: LocalPort
    private var isClosed = false
    private let meddling: Meddling

    /// The ways in which the bytes are treated, and whether the port was closed.
    final class Meddling: Sendable {
        /// True if what is written is lost.
        let isDeaf = LockedValue(false)
        /// True if the port was closed, which takes a second.
        let isClosed = LockedValue(false)
    }

    var path: String { port.path }
    var wakeUp: WakeUp? {
        get { port.wakeUp }
        set { port.wakeUp = newValue }
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
