// RelayTransport: the transport to a board that another process serves.

import BoardEngine
import BridgeLink
import Foundation
import HapticBoards
import POSIX
import SerialPorts

/// The transport for a virtual session with a board that another program of the user serves. The
/// board answers queries and STOP; all other messages are rejected.
final class RelayTransport: Transport {
    let path: String
    var eventSignal: EventSignal?
    private var connection: MessageConnection?
    private var bytes: [UInt8] = []
    /// True if the serving process has sent any message.
    fileprivate private(set) var isAnswered = false
    /// True if the serving process has ended without an answer.
    fileprivate private(set) var isUnanswered = false
    private let isClosed = LockedValue(false)

    /// The interval between two messages that report that this program is alive, in microseconds.
    /// The server closes the connection of a silent program on another computer.
    private static let aliveInterval: Microseconds = 2_000_000

    /// Connects to the process that serves the board on a port. Returns nil if there is no such
    /// process.
    fileprivate init?(port: String) throws {
        guard let connection = try BoardServerClient.connect(to: port, for: .relay) else {
            return nil
        }
        (path, self.connection) = (port, connection)
        if connection.isRemote { keepAlive(connection) }
    }

    /// Reports repeatedly that this program is alive. The reports are necessary while a pattern
    /// plays over another connection, because the program may send no queries in that time.
    private func keepAlive(_ connection: MessageConnection) {
        Thread.start("haptic-bridge.alive", qualityOfService: .utility) { [isClosed] in
            while !isClosed.withLock({ $0 }), !connection.isBroken {
                try? connection.send(ClientMessage.alive())
                hostClock.sleep(for: Self.aliveInterval)
            }
        }
    }

    func read(upTo count: Int, timeout: Microseconds) throws(TransportError) -> [UInt8] {
        guard let connection else { throw .unplugged(path: path) }
        if bytes.isEmpty {
            var requests = [connection.socket.request(writing: connection.hasBacklog)]
            if let eventSignal { requests.append(eventSignal.request) }
            guard hostClock.poll(&requests, for: timeout) > 0 else { return [] }
            if let eventSignal, requests[1].revents != 0 { eventSignal.drain() }
            connection.flush()
            do {
                for report in try connection.reports() {
                    isAnswered = true
                    if case .frames(let data) = report { bytes += data }
                    try check(report)
                }
            } catch let error as TransportError {
                throw error
            } catch let error as HapticError {
                isAnswered = true
                throw .refused(path: path, reason: error.message)
            } catch MessageConnection.Failure.ended {
                isUnanswered = !isAnswered
                throw Self.ended(at: path)
            } catch {
                isAnswered = true
                throw .refused(
                    path: path, reason: WireError(error).fromServer)
            }
        }
        defer { bytes.removeFirst(min(count, bytes.count)) }
        return Array(bytes.prefix(count))
    }

    private func check(_ report: EngineReport) throws {
        switch report {
        case .failed(let error), .lost(let error), .suspended(let error):
            throw TransportError.lost(path: path, reason: error.reason, advice: error.advice)
        case .stopped, .surveyed: throw MessageConnection.Failure.ended
        default: break
        }
    }

    private static func ended(at path: String) -> TransportError {
        .lost(path: path, reason: "the program that serves the board has ended", advice: [])
    }

    func write(_ bytes: [UInt8]) throws(TransportError) -> Int {
        guard let connection else { throw .unplugged(path: path) }
        do {
            var message = ClientMessage(.frames)
            message.bytes = Data(bytes)
            try connection.send(message)
        } catch {
            throw Self.ended(at: path)
        }
        return bytes.count
    }

    func unsentCount() throws(TransportError) -> Int { 0 }

    func close() {
        isClosed.withLock { $0 = true }
        connection?.socket.shutDown()
        connection = nil
    }

    deinit { close() }
}

extension HapticBoard {
    /// Connects to a board that another program of the user serves. The board answers queries and
    /// STOP.
    ///
    /// - Returns: the board; nil if no process serves it, or the serving process has just ended.
    /// - Throws: the errors of ``init(_:timing:while:)``.
    package static func served(at port: String) throws -> HapticBoard? {
        guard let transport = try RelayTransport(port: port) else { return nil }
        var timing = LinkTiming.standard
        // Transferring bytes between processes takes a negligible time.
        timing.byteTime = 0
        do {
            return try HapticBoard(transport, timing: timing)
        } catch  where transport.isUnanswered {
            return nil
        } catch  where !transport.isAnswered {
            throw BoardServerClient.silence(at: port)
        }
    }
}
