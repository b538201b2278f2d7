// What the firmware puts on the chip when the real session plays a stream on it.

import BridgeLink
import CBridgeFirmware
import CDRV2605Model
import Testing
import TestSupport
import VirtualBoard

@Suite struct PlayingTests {
    @Test func aTapIsDrivenForItsLengthAndThenTheChipRests() throws {
        let board = InProcessBoard.configured()
        let link = SteppedLink(board)
        #expect(link.connect())
        let playback = try #require(link.play([0x90, 0xFF, 0x00, 0xF0, 0x00], limit: 2_000_000))
        #expect(try playback.outcome?.get() == .played)
        print(board.driveChanges, board.now)
        for t in board.transactions { print(t.start, t.bytes.map { String($0, radix: 16) }, t.isAcknowledged) }
        print(playback.progress)
    }
}
