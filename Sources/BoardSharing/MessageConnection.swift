// MessageConnection: a connection that transfers whole messages over a socket.

import BoardEngine
import Foundation
import HapticBoards
import SerialPorts

/// A connection that transfers messages in both directions. Each message is JSON text, preceded by
/// its length in four bytes.
final class MessageConnection: Sendable {
    /// A queue of bytes. Bytes are added at the end of the queue and removed from its beginning.
    private struct Queue {
        private var bytes: [UInt8] = []
        private var taken = 0

        var waiting: ArraySlice<UInt8> { bytes[taken...] }

        static func += (queue: inout Queue, more: some Sequence<UInt8>) { queue.bytes += more }

        /// Removes bytes from the beginning. The remaining bytes are moved only after most bytes have
        /// been removed.
        mutating func drop(_ count: Int) {
            taken += count
            guard taken > bytes.count / 2 else { return }
            (bytes, taken) = (Array(bytes[taken...]), 0)
        }

        mutating func removeAll() { (bytes, taken) = ([], 0) }
    }

    private struct State {
        var outgoing = Queue()
        var incoming = Queue()
        /// True if a write failed because the other end was closed, or if the other end has left
        /// too many bytes unread.
        var isBroken = false
        /// True if no more data will arrive.
        var hasEnded = false
        /// True if the last read received all bytes that had arrived.
        var isCurrent = true
        /// The authenticator of the messages; nil for a local socket.
        var seal: MessageAuthenticator?
    }

    let socket: LocalSocket
    private let readAhead: Int
    private let state = LockedValue(State())

    /// The maximum length of a message, in bytes.
    static let lengthMax = 1 << 16
    /// The maximum number of bytes in a message, including its length and its authentication code.
    private static let frameMax = lengthMax + 4 + MessageAuthenticator.length
    /// The maximum number of unsent bytes for a program that does not read its messages.
    private static let backlogMax = 1 << 20

    /// Creates a connection over a socket.
    ///
    /// - Parameters:
    ///   - seal: the authenticator of the messages; nil for a local socket.
    ///   - readAhead: the number of received bytes above which no more bytes are read until messages
    ///     have been handled. One message is always read as a whole.
    init(
        _ socket: LocalSocket, sealed seal: MessageAuthenticator? = nil, readAhead: Int = 1 << 22
    ) {
        (self.socket, self.readAhead) = (socket, max(readAhead, Self.frameMax))
        if let seal { state.withLock { $0.seal = seal } }
    }

    /// True if the other end is on another computer.
    var isRemote: Bool { state.withLock { $0.seal != nil } }

    /// The error after which no more messages can be received.
    enum Failure: Error {
        /// The peer has closed the socket.
        case ended
        /// A message to be received or sent has this length in bytes, which is above the maximum.
        case tooLong(Int)
        /// A message has a wrong authentication code: its sender does not have the key.
        case forged
    }

    // MARK: Writing

    /// True if messages are waiting to be written.
    var hasBacklog: Bool { state.withLock { !$0.outgoing.waiting.isEmpty } }

    /// True if a write failed because the other end was closed, or if the other end has left too
    /// many bytes unread.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// True if a write failed because the other end was closed.
    var isClosed: Bool { state.withLock { $0.isBroken && $0.outgoing.waiting.isEmpty } }

    /// Sends a message without waiting. `flush` writes the bytes that do not fit into the socket's
    /// buffer.
    ///
    /// - Throws: `Failure` if the message is too long.
    func send(_ message: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try encoder.encode(message)
        guard body.count <= Self.lengthMax else { throw Failure.tooLong(body.count) }
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (24 - 8 * $0)) } + body
        state.withLock { state in
            if state.outgoing.waiting.count > Self.backlogMax { state.isBroken = true }
            guard !state.isBroken else { return }
            state.outgoing += bytes
            if let code = state.seal?.code(of: bytes) { state.outgoing += code }
            write(&state)
        }
    }

    /// Writes as many of the waiting bytes as fit into the socket's buffer.
    func flush() { state.withLock { write(&$0) } }

    private func write(_ state: inout State) {
        guard !state.outgoing.waiting.isEmpty, !state.isBroken else { return }
        guard let count = socket.write(state.outgoing.waiting) else {
            state.isBroken = true
            return state.outgoing.removeAll()
        }
        state.outgoing.drop(count)
    }

    // MARK: Reading

    /// True if more bytes should be read.
    var isToBeRead: Bool { state.withLock { isToBeRead($0) } }

    private func isToBeRead(_ state: State) -> Bool {
        !state.hasEnded && state.incoming.waiting.count <= readAhead
    }

    /// The maximum number of bytes in one read.
    private static let readLength = 1 << 16

    /// Reads the bytes that have arrived. Returns whether they show that the other end is alive:
    /// bytes have arrived, and the preceding read had received all earlier bytes. Without the
    /// second condition, the bytes might be old: for example, the other end may have sent messages
    /// faster than they were handled, and may no longer run.
    @discardableResult
    func read() -> Bool {
        state.withLock { state in
            guard isToBeRead(state) else {
                state.isCurrent = false
                return false
            }
            let wasCurrent = state.isCurrent
            switch socket.read(upTo: Self.readLength) {
            case .bytes(let bytes):
                state.incoming += bytes
                state.isCurrent = bytes.count < Self.readLength
                return wasCurrent
            case .nothing: state.isCurrent = true
            case .end: state.hasEnded = true
            }
            return false
        }
    }

    /// True if `next` will return a message or throw an error.
    var hasNext: Bool {
        state.withLock { state in
            state.hasEnded || Self.length(of: state) ?? .max <= state.incoming.waiting.count
        }
    }

    /// Returns the next complete message and removes it; nil if no message is complete.
    func next() throws(Failure) -> Data? {
        do { return try state.withLock { try Self.removeNext(from: &$0) } } catch {
            throw error as! Failure
        }
    }

    /// Returns the number of bytes in the next message, including its length and its authentication
    /// code; nil if the length has not been received.
    private static func length(of state: State) -> Int? {
        let bytes = state.incoming.waiting
        guard bytes.count >= 4 else { return nil }
        let body = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        // A message that is too long is considered complete, so that `next` detects its length and
        // throws an error.
        guard body <= lengthMax else { return 0 }
        return 4 + body + (state.seal == nil ? 0 : MessageAuthenticator.length)
    }

    private static func removeNext(from state: inout State) throws -> Data? {
        let bytes = state.incoming.waiting
        guard let length = length(of: state), length <= bytes.count else {
            if state.hasEnded { throw Failure.ended }
            return nil
        }
        let body = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard body <= lengthMax else { throw Failure.tooLong(body) }
        let message = bytes.prefix(4 + body)
        let code = Array(bytes.prefix(length).dropFirst(4 + body))
        guard state.seal?.accepts(code, of: message) != false else { throw Failure.forged }
        state.incoming.drop(length)
        return Data(message.dropFirst(4))
    }
}

extension MessageConnection {
    /// Returns the reports that have arrived from the process that serves a board.
    ///
    /// - Throws: `HapticError` with the reason if the process rejects the request; `Failure`,
    ///   `WireError` or a decoding error if the connection has failed.
    func reports() throws -> [EngineReport] {
        read()
        var reports: [EngineReport] = []
        while let data = try next() {
            let message = try ServerMessage(reading: data)
            if message.kind == .refused {
                throw HapticError(.serverInitFailed, message.reason ?? "the request was rejected")
            }
            if let report = try message.report() { reports.append(report) }
        }
        return reports
    }
}
