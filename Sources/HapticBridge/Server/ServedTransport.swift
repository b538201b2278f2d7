// ServedTransport: the bytes' way to a board that another program serves.

import BridgeLink
import Foundation
import POSIX
import SerialPorts

/// The bytes of a session with a board that another program of the user serves. The board answers
/// questions and STOP; everything else is rejected.
final class ServedTransport: Transport {
    let path: String
    var wakeUp: WakeUp?
    private var line: MessageLine?
    private var bytes: [UInt8] = []

    /// Connects to the program that serves the board at a port. Returns nil if none does.
    fileprivate init?(port: String) throws {
        guard let line = try ServedBoard.line(port: port, for: .relay) else { return nil }
        (path, self.line) = (port, line)
    }

    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        guard let line else { throw .unplugged(path: path) }
        if bytes.isEmpty {
            var requests = [line.socket.request(writing: line.hasBacklog)]
            if let wakeUp { requests.append(wakeUp.request) }
            guard hostClock.poll(&requests, for: timeout) > 0 else { return [] }
            if let wakeUp, requests[1].revents != 0 { wakeUp.take() }
            line.flush()
            do {
                for report in try line.reports() {
                    if case .frames(let data) = report { bytes += data }
                    if report.isLast { throw MessageLine.Failure.ended }
                }
            } catch {
                throw .unplugged(path: path)
            }
        }
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return Array(bytes.prefix(count))
    }

    func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        guard let line else { throw .unplugged(path: path) }
        do {
            try line.send(ClientMessage.frames(Data(bytes)))
        } catch {
            throw .unplugged(path: path)
        }
        return bytes.count
    }

    func unsentCount() throws(TransportError) -> Int { 0 }

    func close() { line = nil }
}

extension HapticBoard {
    /// Connects to a board that another program of the user serves, which answers questions and STOP.
    ///
    /// - Returns: the board; nil if no program serves it.
    /// - Throws: the errors of ``init(_:timing:while:)``.
    package static func served(at port: String) throws -> HapticBoard? {
        guard let transport = try ServedTransport(port: port) else { return nil }
        var timing = LinkTiming.standard
        // Bytes between processes take no time.
        timing.byteTime = 0
        return try HapticBoard(transport, timing: timing)
    }
}
