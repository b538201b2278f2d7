// MessageLine: whole messages over a socket.

import Foundation
import SerialPorts

/// A socket over which values pass in either direction, each as its length in four bytes and as
/// JSON.
final class MessageLine: Sendable {
    private struct State {
        var outgoing: [UInt8] = []
        var incoming: [UInt8] = []
        var isBroken = false
        /// The codes of messages; nil for a line that nobody else can reach.
        var seal: MessageSeal?
    }

    let socket: LocalSocket
    private let state = LockedValue(State())

    /// The greatest length of a message, in bytes.
    static let lengthMax = 16 << 20
    /// The bytes that may wait for a program that does not read them.
    private static let backlogMax = 1 << 20

    /// Makes a line.
    ///
    /// - Parameter seal: the codes of messages; nil for a line that nobody else can reach.
    init(_ socket: LocalSocket, sealed seal: MessageSeal? = nil) {
        self.socket = socket
        if let seal { state.withLock { $0.seal = seal } }
    }

    /// Whether the line leads to another computer.
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

    /// Whether messages wait to be written.
    var hasBacklog: Bool { state.withLock { !$0.outgoing.isEmpty } }

    /// Whether the other end is closed, or has not read for too long.
    var isBroken: Bool { state.withLock { $0.isBroken } }

    /// Sends a message without waiting. What does not fit is written by `flush`.
    ///
    /// - Throws: an error if the message is too long.
    func send(_ message: some Encodable) throws { try send([message]) }

    /// Sends messages in one step, so that they arrive together if they fit.
    func send(_ messages: [some Encodable]) throws {
        var framed: [[UInt8]] = []
        for message in messages {
            let body = try JSONEncoder().encode(message)
            guard body.count <= Self.lengthMax else { throw Failure.tooLong(body.count) }
            let length = UInt32(body.count)
            framed.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body)
        }
        state.withLock { state in
            if state.outgoing.count > Self.backlogMax { state.isBroken = true }
            guard !state.isBroken else { return }
            for bytes in framed {
                state.outgoing += bytes
                if let code = state.seal?.code(of: bytes) { state.outgoing += code }
            }
            write(&state)
        }
    }

    /// Writes what has not been written yet, as far as it fits.
    func flush() { state.withLock { write(&$0) } }

    private func write(_ state: inout State) {
        guard !state.outgoing.isEmpty, !state.isBroken else { return }
        guard let count = socket.write(state.outgoing) else {
            state.isBroken = true
            state.outgoing = []
            return
        }
        state.outgoing.removeFirst(count)
    }

    /// Returns the messages that have arrived.
    func receive() throws(Failure) -> [Data] {
        let reading = socket.read()
        guard case .bytes(let bytes) = reading else {
            if case .end = reading { throw .ended }
            return []
        }
        do {
            return try state.withLock { state in
                state.incoming += bytes
                return try Self.take(&state.incoming, &state.seal)
            }
        } catch {
            throw error as! Failure
        }
    }

    private static func take(_ bytes: inout [UInt8], _ seal: inout MessageSeal?) throws -> [Data] {
        let codeLength = seal == nil ? 0 : MessageSeal.length
        var messages: [Data] = []
        var start = 0
        while bytes.count - start >= 4 {
            let length = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length <= lengthMax else { throw Failure.tooLong(length) }
            let end = start + 4 + length
            guard bytes.count - end >= codeLength else { break }
            let code = Array(bytes[end..<(end + codeLength)])
            guard seal?.accepts(code, of: bytes[start..<end]) != false else { throw Failure.forged }
            messages.append(Data(bytes[(start + 4)..<end]))
            start = end + codeLength
        }
        bytes.removeFirst(start)
        return messages
    }
}
