// LocalSocket: the sockets between the server of a board and its programs.

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

    /// The server would otherwise use the whole processor until the timeout of a program that has
    /// disconnected after a wrong proof.
    @Test func aClosedConnectionEndsOnlyAWaitForTheSocket() {
        ends.other.shutDown()
        var ignored = [ends.own.request(reading: false)]
        #expect(poll(&ignored, 1, 0) == 0)
        var read = [ends.own.request()]
        #expect(poll(&read, 1, 0) == 1)
    }
}
