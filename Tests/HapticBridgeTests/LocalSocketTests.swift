// Tests of LocalSocket, the socket between the server of a board and a program that uses the board.

import Foundation
import Testing

@testable import BoardSharing

struct LocalSocketTests {
    private let ends: (own: LocalSocket, other: LocalSocket)

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, 1, 0, &ends) == 0)
        self.ends = (LocalSocket(descriptor: ends[0]), LocalSocket(descriptor: ends[1]))
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
}
