// DatagramReceiver: receives datagrams from other programs over UDP.

import BridgeLink
import Foundation
import POSIX
import SerialPorts
import Synchronization

/// Receives datagrams on a separate thread. Datagrams that arrive while a closure is running wait
/// in the system's buffer; the system discards datagrams for which the buffer has no room.
package final class DatagramReceiver: Sendable {
    /// The address and the port at which datagrams are received.
    package let address: String
    private let descriptor: Int32
    private let eventSignal: EventSignal
    private let isClosed = Atomic(false)
    private let hasEnded = hostClock.makeSemaphore()

    /// The maximum size of a datagram, in bytes.
    private static let size = 65_507

    /// Begins to receive.
    ///
    /// - Parameters:
    ///   - host: the host name or the address at which to receive.
    ///   - port: the port; 0 for any free port.
    ///   - interval: the time between two calls of `onInterval`, in microseconds.
    ///   - onInterval: a closure that is called regularly, on the same thread as `onDatagram`.
    ///   - onDatagram: a closure that receives the bytes of each datagram.
    /// - Throws: `network` if the address does not belong to this computer, or the port is in use.
    package init(
        host: String, port: UInt16, every interval: Microseconds,
        onInterval: @escaping @Sendable () -> Void,
        onDatagram: @escaping @Sendable ([UInt8]) -> Void
    ) throws(TransportError) {
        eventSignal = try EventSignal()
        let bound = try NetworkAddress.bindDatagrams(host, port)
        descriptor = bound.descriptor
        address = "\(host):\(bound.port)"
        Thread.start("haptic-bridge.datagrams", qualityOfService: .userInteractive) {
            self.run(every: interval, onInterval, onDatagram)
        }
    }

    deinit { systemClose(descriptor) }

    /// Ends the reception, and returns when no closure is running. Must not be called from one of
    /// the closures. Further calls have no effect.
    package func close() {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        eventSignal.signal()
        hasEnded.wait()
    }

    private func run(
        every interval: Microseconds, _ onInterval: () -> Void, _ onDatagram: ([UInt8]) -> Void
    ) {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        var next = hostClock.now() + interval
        while !isClosed.load(ordering: .relaxed) {
            var requests = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), eventSignal.request,
            ]
            _ = hostClock.poll(&requests, until: next)
            // The time is checked after each datagram, so that a flood of datagrams does not delay
            // the next call of `onInterval`. Reception continues after an error, because the sender
            // of a datagram has caused the error.
            while hostClock.now() < next {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count >= 0 else { break }
                onDatagram(Array(bytes.prefix(count)))
            }
            guard hostClock.now() >= next else { continue }
            onInterval()
            next = max(next + interval, hostClock.now())
        }
        hasEnded.signal()
    }
}
