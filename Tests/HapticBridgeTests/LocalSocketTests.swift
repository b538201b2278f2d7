// Tests of LocalSocket, which connects the server of a board to a program that uses the board, and
// of the messages over this connection.

import Foundation
import SerialPorts
import Testing

@testable import BoardSharing

struct LocalSocketTests {
    private let ends: (own: LocalSocket, other: LocalSocket)

    init() throws {
        let (own, other) = try #require(LocalAddress.makePair())
        ends = (LocalSocket(descriptor: own), LocalSocket(descriptor: other))
    }

    /// Checks that a closed connection ends a wait only if the wait is for reading. If every wait
    /// ended, the server would use the whole processor until the timeout of a program that has
    /// disconnected after a wrong proof.
    @Test func aClosedConnectionEndsOnlyAWaitForTheSocket() {
        ends.other.shutDown()
        var ignored = [ends.own.request(reading: false)]
        #expect(poll(&ignored, 1, 0) == 0)
        var read = [ends.own.request()]
        #expect(poll(&read, 1, 0) == 1)
    }

    /// Checks that received bytes count as a sign of life only if all earlier bytes had been read.
    /// Bytes that remained in the socket may have been sent long ago.
    @Test func bytesThatHaveWaitedAreNoSignOfLife() throws {
        let connection = MessageConnection(ends.own)
        let message = [0, 0, 0xC3, 0x50] + [UInt8](repeating: 0x20, count: 50_000)
        #expect(!connection.read(), "nothing was sent")
        #expect(ends.other.write(message + message) == 2 * message.count)
        #expect(connection.read(), "everything that was sent before had been read")
        #expect(!connection.read(), "the remaining bytes have waited")
        #expect(ends.other.write(message) == message.count)
        #expect(connection.read(), "everything that was sent before had been read")
        // Sends bytes until the connection stops reading, because too many messages wait to be
        // handled.
        var sent = 3 * message.count
        while connection.isToBeRead {
            sent += try #require(ends.other.write(message))
            connection.read()
        }
        #expect((4 << 20...5 << 20).contains(sent))
        #expect(ends.other.write(message) == message.count)
        #expect(!connection.read())
        _ = try connection.next()
        #expect(!connection.read(), "these bytes have waited")
        #expect(ends.other.write(message) == message.count)
        _ = try connection.next()
        #expect(connection.read(), "everything that was sent before had been read")
    }

    /// Checks that the longest message is read completely, even if it is read in parts.
    @Test(arguments: 1...4)
    func theLongestMessageIsReadWhole(first count: Int) throws {
        let connection = MessageConnection(ends.own, readAhead: 0)
        let message = [0, 1, 0, 0] + [UInt8](repeating: 0x20, count: 1 << 16)
        #expect(ends.other.write(message.prefix(count)) == count)
        connection.read()
        #expect(ends.other.write(message.dropFirst(count)) == message.count - count)
        connection.read()
        connection.read()
        #expect(try connection.next()?.count == 1 << 16)
    }
}
