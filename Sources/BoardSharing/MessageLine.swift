// MessageLine: whole messages over a socket.

import BoardEngine
import Foundation
import HapticBoards
import SerialPorts

/// A socket over which messages pass in either direction, each as its length in four bytes and as
/// JSON.
final class MessageLine: Sendable {
    /// Bytes that are added at the end and taken from the beginning.
    private struct Queue {
        private var bytes: [UInt8] = []
        private var taken = 0

        var waiting: ArraySlice<UInt8> { bytes[taken...] }

        static func += (queue: inout Queue, more: some Sequence<UInt8>) { queue.bytes += more }

        /// Removes bytes from the beginning. Those that remain are moved rarely.
        mutating func drop(_ count: Int) {
            taken += count
            guard taken == bytes.count || taken > 1 << 16 else { return }
            bytes.removeFirst(taken)
            taken = 0
        }

        mutating func removeAll() { (bytes, taken) = ([], 0) }
    }

    private struct State {
        var outgoing = Queue()
        var incoming = Queue()
        /// True if the other end is closed, or has not read for too long.
        var isBroken = false
        /// True if nothing more arrives.
        var hasEnded = false
        /// The codes of messages; nil for a line that nobody else can reach.
        var seal: MessageSeal?
    }

    let socket: LocalSocket
    private let state = LockedValue(State())

    /// The greatest length of a message, in bytes.
    static let lengthMax = 1 << 16
    /// The bytes that may wait for a program that does not read them.
    private static let backlogMax = 1 << 20

    /// Makes a line.
    ///
    /// - Parameter seal: the codes of messages; nil for a line that nobody else can reach.
    init(_ socket: LocalSocket, sealed seal: MessageSeal? = nil) {
        self.socket = socket
        if let seal { state.withLock { $0.seal = seal } }
    }

    /// True if the line leads to another computer.
    var isRemote: Bool { state.withLock { $0.seal != nil } }

    /// An error that is thrown for a line over which nothing more comes.
    enum Failure: Error {
        /// The program at the far end has closed the socket.
        case ended
        /// A message was announced, or was to be sent, whose length in bytes is too great.
        case tooLong(Int)
        /// A message was not sent by the program that has the key.
        case forged
    }

    // MARK: Writing

    /// True if messages wait to be written.
    var hasBacklog: Bool { state.withLock { !$0.outgoing.waiting.isEmpty } }

    /// True if the other end is closed, or has not read for too long.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// True if the other end was closed when something was to be written.
    var isClosed: Bool { state.withLock { $0.isBroken && $0.outgoing.waiting.isEmpty } }

    /// Sends a message without waiting. What does not fit is written by `flush`.
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

    /// Writes what has not been written yet, as far as it fits.
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

    /// True if more is to be read. What has arrived is taken first if it is more than a message.
    var isToBeRead: Bool { state.withLock { Self.isToBeRead($0) } }

    private static func isToBeRead(_ state: State) -> Bool {
        !state.hasEnded && state.incoming.waiting.count <= lengthMax + 4 + MessageSeal.length
    }

    /// Reads what has arrived. Returns whether anything has.
    @discardableResult
    func read() -> Bool {
        state.withLock { state in
            guard Self.isToBeRead(state) else { return false }
            switch socket.read() {
            case .bytes(let bytes):
                state.incoming += bytes
                return true
            case .nothing: return false
            case .end:
                state.hasEnded = true
                return false
            }
        }
    }

    /// True if `next` has something to return, or to throw.
    var hasNext: Bool {
        state.withLock { state in
            state.hasEnded || Self.length(of: state) ?? .max <= state.incoming.waiting.count
        }
    }

    /// Takes the next message that has been read; nil if none is there completely.
    func next() throws(Failure) -> Data? {
        do { return try state.withLock { try Self.take(&$0) } } catch { throw error as! Failure }
    }

    /// Returns the bytes of the next message with its length and its code; nil if not even its length
    /// is there.
    private static func length(of state: State) -> Int? {
        let bytes = state.incoming.waiting
        guard bytes.count >= 4 else { return nil }
        let body = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        // One that is too long is complete, so that it is found to be so.
        guard body <= lengthMax else { return 0 }
        return 4 + body + (state.seal == nil ? 0 : MessageSeal.length)
    }

    private static func take(_ state: inout State) throws -> Data? {
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

extension MessageLine {
    /// Returns the reports of the program that serves a board which have arrived.
    ///
    /// - Throws: `HapticError` with its reason if it refuses to serve; `Failure`, `WireError` and the
    ///   errors of decoding for a line over which nothing more comes.
    func reports() throws -> [EngineReport] {
        read()
        var reports: [EngineReport] = []
        while let data = try next() {
            let message = try JSONDecoder().decode(ServerMessage.self, from: data)
            if message.kind == .refused {
                throw HapticError(.serverInitFailed, message.reason ?? "it is not served")
            }
            if let report = try message.report() { reports.append(report) }
        }
        return reports
    }
}
