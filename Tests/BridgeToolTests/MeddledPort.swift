// MeddledPort: a port that loses written bytes and is slow to close, for suites with the trait
// `.virtualTool`.

import BridgeLink
import Foundation
import SerialPorts
import TestSupport
import Testing

@testable import BoardSharing
@testable import HapticBoards
@testable import HapticBridge

/// The port of a board whose connection a test disturbs.
final class MeddledPort: Transport {
    private let port: LocalPort
    private var isClosed = false
    private let meddling: Meddling

    /// The disturbances of a port and the state of the port.
    final class Meddling: Sendable {
        /// True if written bytes are lost.
        let isDeaf = LockedValue(false)
        /// True if the port is closed. Closing the port takes a second.
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

extension SharedBoard {
    /// Serves the board over a port that a test can disturb.
    func meddling() -> (MeddledPort.Meddling, hasEnded: LockedValue<Bool>) {
        let port = board.port
        let meddling = MeddledPort.Meddling()
        let device = HapticDevice(
            name: port, identity: { BoardIdentity(port: port) }, servedPort: { port },
            connect: { _ in try HapticBoard(MeddledPort(path: port, meddling)) })
        let (isReady, hasEnded) = (LockedValue(false), LockedValue(false))
        Thread.start("service", qualityOfService: .default) {
            _ = try? device.source.serve(
                while: { true }, ready: { _ in isReady.withLock { $0 = true } })
            // The port must be closed before the service ends, because the process may exit at that
            // time.
            #expect(meddling.isClosed.withLock { $0 })
            hasEnded.withLock { $0 = true }
        }
        #expect(wait { isReady.withLock { $0 } })
        return (meddling, hasEnded)
    }
}
